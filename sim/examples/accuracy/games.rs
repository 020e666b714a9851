//! The games that are measured on and learnt from.

use std::path::Path;

use action_model::training::TrainingMatch;
use anyhow::{Context, Result, bail};
use rules::{Game, bpgn, pgn};
use sim::{RecordedGame, SimError, games::match_names};

use crate::arguments::Arguments;

/// The games as read.
pub(crate) struct Games {
    /// Each with the name that its hands go by.
    pub(crate) played: Vec<(String, RecordedGame)>,
    /// The same games, to learn from.
    pub(crate) learnt_from: Vec<TrainingMatch>,
    /// Further matches and games of crazyhouse to learn from, which nobody is judged on.
    pub(crate) also: Vec<TrainingMatch>,
    /// A line for each that is left out.
    pub(crate) left_out: Vec<String>,
}

/// Reads the games of the file that is asked for.
///
/// # Errors
///
/// If it cannot be read, or holds no game.
pub(crate) fn read(arguments: &Arguments) -> Result<Games> {
    let path = &arguments.games();
    let bytes = std::fs::read(path).with_context(|| {
        let (notation, shipped) = match arguments.game {
            Game::Bughouse => ("matches in BPGN", "engine-001.bpgn"),
            Game::Chess => ("games in PGN", "chess-001.pgn"),
        };
        format!(
            "cannot read the games of {}: put recorded {notation} there, or name a file with --games; \
             --games sim/games/{shipped} takes shipped ones, on which figures say nothing about people",
            path.display()
        )
    })?;
    let (mut numbered, mut learnt_from, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (number, game) in (1..).zip(of_notation(arguments.game, &bytes)) {
        match game {
            Ok((played, training)) => {
                numbered.push((number, played));
                learnt_from.push(training);
            }
            Err(reason) => left_out.push(format!("{}: {reason}", file_name(path))),
        }
    }
    if numbered.is_empty() {
        bail!("{} holds no readable game of {}", path.display(), arguments.game);
    }
    let stem = path.file_stem().map_or("m".into(), |stem| stem.to_string_lossy());
    let names = match_names(&stem, &numbered);
    let games = numbered.into_iter().map(|(_, game)| game);
    let mut played: Vec<_> = names.into_iter().zip(games).collect();
    played.truncate(arguments.most_games());
    learnt_from.truncate(arguments.most_games());
    let also = also(arguments, &mut left_out)?;
    Ok(Games { played, learnt_from, also, left_out })
}

/// Reads what every fold learns from besides its own games.
fn also(arguments: &Arguments, left_out: &mut Vec<String>) -> Result<Vec<TrainingMatch>> {
    let bytes = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read the games of {}", path.display()))
    };
    let mut found = Vec::new();
    for path in &arguments.also {
        for game in of_notation(Game::Bughouse, &bytes(path)?) {
            match game {
                Ok((_, training)) => found.push(training),
                Err(reason) => left_out.push(format!("{}: {reason}", file_name(path))),
            }
        }
    }
    for path in &arguments.roles_from {
        let games = pgn::read_crazyhouse(&bytes(path)?);
        let before = found.len();
        let sound = games.iter().filter(|(_, error)| error.is_none());
        found.extend(sound.filter_map(|(game, _)| TrainingMatch::crazyhouse(game)));
        if found.len() == before {
            bail!("{} holds no readable game of crazyhouse", path.display());
        }
    }
    Ok(found)
}

type Both = (RecordedGame, TrainingMatch);

fn of_notation(game: Game, bytes: &[u8]) -> Vec<Result<Both, String>> {
    match game {
        Game::Bughouse => bpgn::read(bytes)
            .into_iter()
            .map(|game| {
                let game = game.map_err(|error| error.to_string())?;
                both((&game).try_into(), TrainingMatch::new(&game))
            })
            .collect(),
        Game::Chess => pgn::read(bytes)
            .into_iter()
            .map(|(game, error)| match error {
                Some(error) => Err(error.to_string()),
                None => both((&game).try_into(), TrainingMatch::chess(&game)),
            })
            .collect(),
    }
}

fn both(
    played: Result<RecordedGame, SimError>,
    learnt: Option<TrainingMatch>,
) -> Result<Both, String> {
    let learnt = learnt.ok_or("its starting position cannot be read; take it out of the file")?;
    Ok((played.map_err(|error| error.to_string())?, learnt))
}

/// A file's name without its folders.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
