//! Every game of chess of the shared collection, when it is present: read, judged in every position
//! as by python-chess, written and read again.
//!
//! `vectors/chess_games.tsv` holds python-chess's results, as one hash a game, and no moves. When a hash differs,
//! `make_chess_vectors.py --show-game ID` prints what the oracle finds.
#![allow(clippy::disallowed_methods)]

#[path = "common/chess.rs"]
mod chess;
mod common;

use common::shared_file;
use rules::{Supply, TimeControl, draw::Repetitions, pgn};

const EXPECTED: &str = include_str!("vectors/chess_games.tsv");

/// Milliseconds in a tenth of a second, to which clock times are written.
const TENTH_MS: i64 = 100;

fn games() -> Option<Vec<pgn::PgnGame>> {
    let bytes = shared_file("chess.pgn")?;
    let games = pgn::read(&bytes);
    for (_, error) in &games {
        assert_eq!(*error, None);
    }
    Some(games.into_iter().map(|(game, _)| game).collect())
}

/// The line that `chess_games.tsv` has for a game.
fn summary(game: &pgn::PgnGame) -> String {
    let mut position = game.start().expect("the initial position");
    let mut repetitions = Repetitions::default();
    let (mut lines, mut counts) = (Vec::new(), [0; 3]);
    let mut note = |first: String, position: &rules::Position| {
        let occurrences = repetitions.note(position);
        let state = chess::state(position, occurrences);
        let dead = state.contains('w') && state.contains('b');
        for (count, holds) in
            counts.iter_mut().zip([state.contains('3'), state.contains('f'), dead])
        {
            *count += usize::from(holds);
        }
        lines.push(format!("{first}\t{}", chess::description(position, occurrences)));
    };
    note("start\t-".to_owned(), &position);
    for ply in &game.plies {
        position.play_with(ply.ply, Supply::Nobody);
        let clock_ms = ply.clock_ms.map_or_else(|| "-".to_owned(), |ms| ms.to_string());
        note(format!("{}\t{clock_ms}", ply.ply), &position);
    }
    let [threefold, fifty, dead] = counts;
    let id = game.tag("GameId").expect("an identifier");
    let hash = chess::fnv1a(&lines.join("\n"));
    format!("{id}\t{}\t{threefold}\t{fifty}\t{dead}\t{hash:016x}", game.plies.len())
}

#[test]
fn every_position_of_real_games_is_judged_as_by_python_chess() {
    let Some(games) = games() else { return };
    let ours: Vec<String> = games.iter().map(summary).collect();
    let expected: Vec<&str> = EXPECTED.lines().collect();
    assert_eq!(ours.len(), expected.len(), "the collection has other games than the vectors");
    for (ours, expected) in ours.iter().zip(expected) {
        assert_eq!(ours, expected);
    }
}

#[test]
fn every_real_game_reads_back_from_what_is_written() {
    let Some(games) = games() else { return };
    for game in games {
        let id = game.tag("GameId").expect("an identifier").to_owned();
        let mut expected = game.clone();
        for ply in &mut expected.plies {
            ply.clock_ms = ply.clock_ms.map(|ms| ms / TENTH_MS * TENTH_MS);
        }
        let again = pgn::read(pgn::write(&game).as_bytes());
        assert_eq!(again, [(expected, None)], "{id}");
    }
}

#[test]
fn every_real_game_has_a_time_control_that_reads_back() {
    let Some(games) = games() else { return };
    for game in games {
        let tag = game.tag("TimeControl").expect("a time control");
        let control = game.time_control().expect(tag).expect(tag);
        assert_eq!(control.to_pgn_tag(), tag);
        assert_eq!(TimeControl::from_pgn_tag(&control.to_pgn_tag()), Ok(Some(control)));
    }
}
