//! Legal moves, notation, states, repetitions and dead positions of chess against python-chess.
//!
//! The vectors are made by `vectors/make_chess_vectors.py`, which explains their format. When a hash differs,
//! `make_chess_vectors.py --show FEN` prints what the oracle finds.

#[path = "common/chess.rs"]
mod chess;

use std::collections::BTreeMap;

use rules::{
    BoardState, Position, Reserve, Supply,
    draw::{self, Repetitions},
    fen, san,
};

const VECTORS: &str = include_str!("vectors/chess.tsv");
const POSITIONS: usize = 5_000;

/// The positions of the vectors, each with how often it had been on the board and its line.
fn positions() -> Vec<(Position, usize, &'static str)> {
    let mut now = Position::initial();
    let mut repetitions = Repetitions::default();
    let mut found = Vec::new();
    for line in VECTORS.lines() {
        let (first, expected) = line.split_once('\t').expect("fields");
        if first.contains('/') {
            now = fen::parse_chess(first).unwrap_or_else(|error| panic!("{first}: {error}"));
            repetitions = Repetitions::default();
        } else {
            let ply =
                san::parse_san(&now, first).unwrap_or_else(|error| panic!("{first}: {error}"));
            assert_eq!(san::to_san(&now, Supply::Nobody, ply), first);
            assert_eq!(now.illegality(ply, &Reserve::EMPTY, Supply::Nobody), None, "{first}");
            now.play_with(ply, Supply::Nobody);
        }
        found.push((now.clone(), repetitions.note(&now), expected));
    }
    found
}

#[test]
fn every_position_made_for_it_is_judged_as_by_python_chess() {
    let positions = positions();
    assert_eq!(positions.len(), POSITIONS);
    for (position, occurrences, expected) in &positions {
        assert_eq!(
            chess::description(position, *occurrences),
            *expected,
            "{}: we find {}",
            fen::format_chess(position),
            chess::moves(position).join(",")
        );
    }
}

#[test]
fn positions_made_for_it_meet_everything_that_is_judged() {
    let mut met: BTreeMap<char, usize> = BTreeMap::new();
    let (mut mates_at_a_distance, mut castlings, mut en_passants, mut promotions) = (0, 0, 0, 0);
    for (position, _, expected) in positions() {
        for mark in expected.rsplit('\t').next().expect("a state").chars() {
            *met.entry(mark).or_default() += 1;
        }
        let blockable = position.state(&Reserve::EMPTY, Supply::Partner);
        mates_at_a_distance += usize::from(blockable == BoardState::BlockableCheck);
        let moves = chess::moves(&position);
        castlings += usize::from(moves.iter().any(|text| text.contains("O-O")));
        promotions += usize::from(moves.iter().any(|text| text.contains('=')));
        en_passants += usize::from(position.en_passant().is_some_and(|to| {
            let captures = format!("x{to}");
            moves.iter().any(|text| text.contains(&captures))
        }));
    }
    for mark in "ncmswb35fF".chars() {
        assert!(met.get(&mark).copied().unwrap_or(0) >= 20, "{mark} is met too rarely: {met:?}");
    }
    for (name, count) in [
        ("mates at a distance", mates_at_a_distance),
        ("castlings", castlings),
        ("captures in passing", en_passants),
        ("promotions", promotions),
    ] {
        assert!(count >= 50, "{name}: {count}");
    }
}

#[test]
fn every_position_made_for_it_reads_back_from_its_fen() {
    for (position, _, _) in positions() {
        let text = fen::format_chess(&position);
        let again = fen::parse_chess(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again, position, "{text}");
        assert_eq!(fen::format_chess(&again), text);
    }
}

#[test]
fn dead_position_is_one_in_which_neither_side_can_mate() {
    for (position, _, expected) in positions() {
        let state = expected.rsplit('\t').next().expect("a state");
        let dead = state.contains('w') && state.contains('b');
        assert_eq!(position.has_dead_material(), dead, "{}", fen::format_chess(&position));
    }
    assert_eq!((draw::THREEFOLD, draw::FIVEFOLD), (3, 5));
}
