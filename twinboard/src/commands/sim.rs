//! `twinboard sim`: games from a BPGN or PGN file, played with simulated hands on simulated boards.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use anyhow::{Result, bail};
use clap::ValueEnum;
use rayon::prelude::*;
use readings::TruthLine;
use rules::BoardId;
use sim::{
    Equipment, Profile, RecordedGame, Sensors,
    games::{self, match_names},
};

use crate::{files, progress, stdout};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File with the games to play: matches of bughouse in BPGN, or games of chess in PGN.
    games: PathBuf,
    /// Kind of the squares' sensors.
    /// `reed`, `hall-polarity`, `hall-magnitude` or `piece-id` for both boards, or one for each:
    /// `A=reed,B=hall-magnitude`. `A=reed` alone leaves board B of a bughouse table without sensors; chess is
    /// played on board A.
    #[arg(long, default_value = "reed")]
    sensor: Sensors,
    /// The boards have reserve trays with sensed slots: both, or `--trays=A` or `--trays=B` for one.
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "both",
        value_name = "BOARDS"
    )]
    trays: Option<Trays>,
    /// Players' handling of pieces and clock.
    #[arg(long, value_enum)]
    players: Players,
    /// Seed of everything random: the same seed gives the same files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder to write `<match>.trace.jsonl` and `<match>.truth.jsonl` into.
    #[arg(long)]
    out: PathBuf,
}

/// Boards with reserve trays.
#[derive(Clone, Copy, ValueEnum)]
enum Trays {
    /// Both.
    Both,
    /// Board A.
    #[value(name = "A")]
    A,
    /// Board B.
    #[value(name = "B")]
    B,
}

impl Trays {
    const fn boards(self) -> &'static [BoardId] {
        match self {
            Trays::Both => &BoardId::ALL,
            Trays::A => &[BoardId::A],
            Trays::B => &[BoardId::B],
        }
    }
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

/// Plays every game of the file. One that cannot be read or played is reported and left out; the others
/// are played.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sensors = arguments.sensor.with_trays(arguments.trays.map_or(&[], Trays::boards));
    let equipment = Equipment { sensors, ..Equipment::default() };
    let players = Profile::from(arguments.players).into();
    let read = read_games(&arguments.games)?;
    files::create_folder(&arguments.out)?;
    let stem = arguments.games.file_stem().unwrap_or_default().to_string_lossy();
    let names = match_names(&stem, &read.games);
    let bar = progress::over_matches(read.games.len(), "playing");
    let (plies, unplayable) = (AtomicUsize::new(0), AtomicUsize::new(0));
    names.par_iter().zip(&read.games).try_for_each(|(name, (number, game))| {
        match sim::perform_with(game, &players, &equipment, arguments.seed, name) {
            Ok(performance) => {
                performance.write(&arguments.out)?;
                let truth = performance.truth.iter();
                let made = truth.filter(|line| matches!(line, TruthLine::Ply(_))).count();
                plies.fetch_add(made, Ordering::Relaxed);
            }
            Err(error) => {
                unplayable.fetch_add(1, Ordering::Relaxed);
                bar.suspend(|| {
                    eprintln!("{}: game {number} ({name}): {error}", arguments.games.display());
                });
            }
        }
        bar.inc(1);
        anyhow::Ok(())
    })?;
    bar.finish_and_clear();
    let (plies, unplayable) = (plies.into_inner(), unplayable.into_inner());
    let played = read.games.len() - unplayable;
    stdout::print_line(format_args!(
        "{played} matches, {plies} plies, in {}",
        arguments.out.display()
    ))?;
    let left_out = unplayable + read.unreadable;
    if left_out > 0 {
        bail!(
            "{left_out} of {} games of {} were left out; the others were played. Correct the problems above, or remove these games",
            read.games.len() + read.unreadable,
            arguments.games.display()
        );
    }
    Ok(())
}

/// Games of a file.
pub(crate) struct ReadGames {
    /// The readable games, each with its place in the file, from 1.
    pub(crate) games: Vec<(usize, RecordedGame)>,
    /// Number of unreadable games.
    unreadable: usize,
}

/// Reads the games of a file; says which could not be read.
pub(crate) fn read_games(path: &Path) -> Result<ReadGames> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let (mut games, mut unreadable) = (Vec::new(), 0);
    for (number, game) in (1..).zip(games::read(&files::read(path)?, &extension)) {
        match game {
            Ok(game) => {
                for warning in &game.warnings {
                    eprintln!("{}: game {number}: {warning}", path.display());
                }
                games.push((number, game));
            }
            Err(error) => {
                unreadable += 1;
                eprintln!("{}: {error}", path.display());
            }
        }
    }
    if games.is_empty() {
        bail!("{} holds no readable game: is it a BPGN or a PGN file?", path.display());
    }
    Ok(ReadGames { games, unreadable })
}
