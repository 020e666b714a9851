//! Games of a demonstration, and their tables.

use anyhow::{Result, bail};
use rules::{Game, bpgn::BpgnGame};
use sim::RecordedGame;

use super::arguments::Arguments;
use crate::commands::sim::read_games;

/// The most base time of a shipped game of chess that is shown, seconds: an evening has an end.
const SHOWN_BASE_S: u64 = 300;

/// The games of each table, those of bughouse first: as many as the tables play, chosen by the seed from the files or the shipped ones.
///
/// # Errors
///
/// A file that cannot be read, or no game for a table.
pub(super) fn choose(arguments: &Arguments) -> Result<Vec<Vec<RecordedGame>>> {
    let mut given = Vec::new();
    for path in &arguments.games {
        given.extend(read_games(path)?.games.into_iter().map(|(_, game)| game));
    }
    let tables = usize::from(arguments.tables);
    let only_chess = !given.is_empty() && given.iter().all(|game| game.game == Game::Chess);
    let chess_tables = match (arguments.game, arguments.chess_tables) {
        (Some(Game::Chess), _) => tables,
        (None, 0) if only_chess => tables,
        (_, chess_tables) => usize::from(chess_tables),
    };
    if chess_tables > tables {
        bail!(
            "--chess-tables {chess_tables} is more than there are tables: give --tables {chess_tables} or more"
        );
    }
    let mut all = Vec::new();
    for (game, tables) in [(Game::Bughouse, tables - chess_tables), (Game::Chess, chess_tables)] {
        let of_game = given.iter().filter(|one| one.game == game).cloned().collect();
        let mut dealt = vec![Vec::new(); tables];
        for (number, one) in take(arguments, game, of_game, tables)?.into_iter().enumerate() {
            dealt[number % tables].push(one);
        }
        // With fewer games than tables the last ones are not set up.
        dealt.retain(|games| !games.is_empty());
        all.extend(dealt);
    }
    Ok(all)
}

/// Games of one kind for `tables` tables.
fn take(
    arguments: &Arguments,
    game: Game,
    given: Vec<RecordedGame>,
    tables: usize,
) -> Result<Vec<RecordedGame>> {
    let wanted = tables * usize::from(arguments.matches_each());
    if wanted == 0 {
        return Ok(Vec::new());
    }
    // Given files are played from their beginning; of the shipped games each seed shows others.
    let (all, first) = if arguments.games.is_empty() {
        let all = shipped(game);
        let seed = usize::try_from(arguments.seed.wrapping_sub(1) % 1_000_003).unwrap_or(0);
        let first = seed * wanted % all.len().max(1);
        (all, first)
    } else {
        (given, 0)
    };
    if all.is_empty() {
        bail!(
            "the files of --games hold no game of {game} for the tables that play it: give one more \
             file with --games, or change --game and --chess-tables"
        );
    }
    // An event goes on with the games that there are; a fixed number of matches plays none of them twice.
    let taken = if arguments.is_event() { wanted } else { wanted.min(all.len()) };
    Ok(all.iter().cycle().skip(first).take(taken).cloned().collect())
}

fn shipped(game: Game) -> Vec<RecordedGame> {
    match game {
        Game::Bughouse => {
            let games = sim::games::shipped();
            games.iter().filter_map(|game: &BpgnGame| game.try_into().ok()).collect()
        }
        Game::Chess => {
            let games = sim::games::shipped_chess();
            let recorded = games.iter().filter_map(|game| RecordedGame::try_from(game).ok());
            recorded.filter(|game| game.time.start_ms() <= SHOWN_BASE_S * 1_000).collect()
        }
    }
}
