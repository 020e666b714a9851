//! `twinboard sim`: games from a BPGN file, played with simulated hands on simulated boards.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use inference::record::TruthLine;
use rayon::prelude::*;
use rules::bpgn::{self, BpgnGame};
use sim::Profile;

use crate::{files, progress};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// BPGN file with the games to play.
    games: PathBuf,
    /// What the boards' squares can tell.
    #[arg(long, value_enum, default_value_t = Sensor::Reed)]
    sensor: Sensor,
    /// How the players handle pieces and clock.
    #[arg(long, value_enum)]
    players: Players,
    /// Seed of everything random: the same seed gives the same files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder to write `<match>.trace.jsonl` and `<match>.truth.jsonl` into.
    #[arg(long)]
    out: PathBuf,
}

/// The sensors that can be simulated.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Sensor {
    /// Occupied or not.
    Reed,
}

/// The players that can be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Players {
    /// No mishap at all.
    Ideal,
    /// Adults who play often.
    Club,
    /// Children.
    Scholastic,
}

impl From<Players> for Profile {
    fn from(players: Players) -> Profile {
        match players {
            Players::Ideal => Profile::Ideal,
            Players::Club => Profile::Club,
            Players::Scholastic => Profile::Scholastic,
        }
    }
}

/// Plays every readable game of the file. A game that cannot be read is reported and left out; the
/// others are played.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Sensor::Reed = arguments.sensor;
    let (games, unreadable) = read_games(&arguments.games)?;
    files::create_folder(&arguments.out)?;
    let names = match_names(&arguments.games, &games);
    let bar = progress::over_matches(games.len(), "playing");
    let plies: usize = names
        .par_iter()
        .zip(&games)
        .map(|(name, game)| {
            let plies = play(arguments, name, game)?;
            bar.inc(1);
            Ok(plies)
        })
        .collect::<Result<Vec<usize>>>()?
        .iter()
        .sum();
    bar.finish_and_clear();
    println!("{} matches, {plies} plies, in {}", games.len(), arguments.out.display());
    if unreadable > 0 {
        bail!(
            "{unreadable} games of {} could not be read and were left out",
            arguments.games.display()
        );
    }
    Ok(())
}

fn play(arguments: &Arguments, name: &str, game: &BpgnGame) -> Result<usize> {
    let performance = sim::perform(game, arguments.players.into(), arguments.seed, name)
        .with_context(|| format!("game {name} cannot be played"))?;
    performance.write(&arguments.out)?;
    Ok(performance.truth.iter().filter(|line| matches!(line, TruthLine::Ply(_))).count())
}

/// Reads the games of a file; says which could not be read, and how many.
pub(crate) fn read_games(path: &std::path::Path) -> Result<(Vec<BpgnGame>, usize)> {
    let (mut games, mut unreadable) = (Vec::new(), 0);
    for game in bpgn::read(&files::read(path)?) {
        match game {
            Ok(game) => games.push(game),
            Err(error) => {
                unreadable += 1;
                eprintln!("{}: {error}", path.display());
            }
        }
    }
    if games.is_empty() {
        bail!("{} holds no readable game: is it a BPGN file?", path.display());
    }
    Ok((games, unreadable))
}

/// A name for each game: the last word of its Event tag where that names every game differently
/// (`… g017`), else the file's name and a number.
pub(crate) fn match_names(path: &std::path::Path, games: &[BpgnGame]) -> Vec<String> {
    let last_words: Vec<String> = games
        .iter()
        .filter_map(|game| game.tags.iter().find(|(key, _)| key == "Event"))
        .filter_map(|(_, event)| event.split_whitespace().next_back())
        .filter(|word| word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-'))
        .map(str::to_owned)
        .collect();
    if last_words.iter().collect::<BTreeSet<_>>().len() == games.len() {
        return last_words;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    (1..=games.len()).map(|number| format!("{stem}-{number:03}")).collect()
}
