//! Matches to play at devices of other makers, and what is compared of their records.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

#[path = "games.rs"]
mod games;

use inference::{Tracker, TrackerConfig};
use readings::{InferredLine, Reading, SensorKind, TraceHeader, TruthLine};
use rules::bpgn::{BpgnGame, BpgnPly};
use rules::{BoardId, Match};
use sim::{Equipment, Performance, Players, Profile, Script, Sensors};

/// The first game of the project's own.
pub fn own_game() -> BpgnGame {
    sim::games::shipped().remove(0)
}

/// The long matches of the collection of real ones, which is not part of the repository.
pub fn corpus_games() -> Vec<BpgnGame> {
    let long = |game: &BpgnGame| game.plies.len() > 60 && game.tag("FEN").is_none();
    games::corpus().unwrap_or_default().into_iter().filter(long).collect()
}

/// The first of them.
pub fn corpus_game() -> Option<BpgnGame> {
    corpus_games().into_iter().next()
}

/// A match played by hands at boards that know their pieces.
pub fn script(game: &BpgnGame, players: &Players, seed: u64, name: &str) -> Script {
    sim::script_with(game, players, &equipment(SensorKind::PieceId), seed, name).unwrap()
}

fn equipment(kind: SensorKind) -> Equipment {
    Equipment { sensors: Sensors::both(kind), ..Equipment::default() }
}

/// The same match, read by our own nodes.
pub fn own_nodes(game: &BpgnGame, players: &Players, kind: SensorKind, seed: u64) -> Performance {
    sim::perform_with(game, players, &equipment(kind), seed, "m").unwrap()
}

/// The record of a trace, with its anomalies' codes.
pub fn infer(header: &TraceHeader, readings: &[Reading]) -> (BpgnGame, Vec<String>) {
    let lines = Tracker::over(header, readings, TrackerConfig::default()).record();
    (plies(&lines), codes(&lines))
}

/// The codes of anomalies that are rather there than not.
pub fn codes(lines: &[InferredLine]) -> Vec<String> {
    let mut codes: Vec<String> = lines
        .iter()
        .filter_map(|line| match line {
            InferredLine::Anomaly(anomaly) if !anomaly.retracted && anomaly.confidence > 0.5 => {
                Some(anomaly.code.clone())
            }
            _ => None,
        })
        .collect();
    codes.sort();
    codes
}

/// The plies of a record of inference.
pub fn plies(lines: &[InferredLine]) -> BpgnGame {
    record(lines.iter().filter_map(|line| match line {
        InferredLine::Ply(ply) => Some((ply.board, ply.uci)),
        _ => None,
    }))
}

/// What happened.
pub fn truth(script: &Script) -> BpgnGame {
    record(script.truth.iter().filter_map(|line| match line {
        TruthLine::Ply(ply) => Some((ply.board, ply.uci)),
        TruthLine::Anomaly(_) => None,
    }))
}

fn record(plies: impl Iterator<Item = (BoardId, rules::Ply)>) -> BpgnGame {
    let mut game = BpgnGame::default();
    let mut played = Match::initial();
    for (board, ply) in plies {
        let position = played.position(board);
        let (color, number) = (position.turn(), position.fullmove_number().into());
        game.plies.push(BpgnPly { board, color, ply, clock_ms: None, number, comment: None });
        played.play(board, ply);
    }
    game
}

/// The plies of one board.
pub fn of_board(game: &BpgnGame, board: BoardId) -> String {
    let plies = game.plies.iter().filter(|ply| ply.board == board);
    let words: Vec<String> = plies.map(|ply| ply.ply.to_string()).collect();
    words.join(" ")
}

/// The longest time without a ply at a board: from when, and how long, microseconds of the match.
pub fn longest_pause(script: &Script, board: BoardId) -> (u64, u64) {
    let of_board = |line: &TruthLine| match line {
        TruthLine::Ply(ply) if ply.board == board => Some(ply.t_us),
        _ => None,
    };
    let times: Vec<u64> = script.truth.iter().filter_map(of_board).collect();
    let pauses = times.windows(2).map(|pair| (pair[0], pair[1] - pair[0]));
    pauses.max_by_key(|&(_, pause_us)| pause_us).unwrap()
}

pub fn ideal() -> Players {
    Profile::Ideal.into()
}
