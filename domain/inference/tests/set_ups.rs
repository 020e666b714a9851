//! Pieces that are missing, too many or exchanged when play begins, for each kind of sensor.

mod common;

use std::collections::BTreeMap;

use common::{Tracked, reading, track};
use inference::TrackerConfig;
use readings::{
    BoardHeader, InferredLine, Reading, ReadingKind, SensorKind, SquareReading, TraceHeader,
};
use rules::{BoardId, Color, Piece, Position, Square};

use BoardId::{A, B};

const SENSORS: [SensorKind; 4] =
    [SensorKind::Reed, SensorKind::HallPolarity, SensorKind::HallMagnitude, SensorKind::PieceId];

/// Moves on board A, squares only; those of a capture or of castling have several.
type Moves = [&'static [(&'static str, &'static str)]];

/// Squares of the set-up that differ from the usual one.
type Changed = [(&'static str, Option<Piece>)];

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

/// A match in which board A is set up with these squares changed.
fn played(sensor: SensorKind, changed: &Changed, moves: &Moves) -> Tracked {
    let initial = Position::initial();
    let mut pieces: BTreeMap<Square, Piece> = Square::ALL
        .into_iter()
        .filter_map(|square| Some((square, initial.piece_at(square)?)))
        .collect();
    for (name, piece) in changed {
        match piece {
            Some(piece) => pieces.insert(square(name), *piece),
            None => pieces.remove(&square(name)),
        };
    }
    let mut readings = Vec::new();
    let mut t_us = 0;
    for board in [A, B] {
        let of = |square: Square| match board {
            A => pieces.get(&square).copied(),
            B => initial.piece_at(square),
        };
        let squares = Square::ALL.into_iter().map(|square| {
            let (reading, level) = reading(sensor, of(square));
            level.map(SquareReading::Level).or(reading).expect("a reading")
        });
        let kind = ReadingKind::Snapshot { occupied: None, squares: Some(squares.collect()) };
        readings.push(Reading { t_us, board: Some(board), kind });
    }
    t_us += 2_000_000;
    for board in [A, B] {
        let kind = ReadingKind::Press { by: Color::Black };
        readings.push(Reading { t_us, board: Some(board), kind });
    }
    let mut by = Color::White;
    for hands in moves {
        for (from, to) in *hands {
            let piece = pieces.remove(&square(from)).expect("a piece");
            let captured = pieces.insert(square(to), piece);
            let lifted = captured.map(|_| (square(to), None));
            let trip = [(square(from), None), (square(to), Some(piece))];
            for (square, piece) in lifted.into_iter().chain(trip) {
                t_us += 250_000;
                let (reading, level) = reading(sensor, piece);
                let kind = ReadingKind::Square { square, reading, level };
                readings.push(Reading { t_us, board: Some(A), kind });
            }
        }
        t_us += 700_000;
        readings.push(Reading { t_us, board: Some(A), kind: ReadingKind::Press { by } });
        by = by.other();
    }
    let boards = [A, B].map(|board| (board, BoardHeader::new(sensor)));
    let header = TraceHeader::new("us-chess-bughouse-2018", 300, BTreeMap::from(boards));
    track(&header, &readings, TrackerConfig::default())
}

/// Asserts that the moves are read, no player is accused, and the set-up is reported `times` times.
fn assert_read(tracked: &Tracked, moves: &Moves, times: usize, what: &str) {
    let names = moves.iter().map(|hands| format!("{}{}", hands[0].0, hands[0].1));
    assert_eq!(tracked.moves(A), names.collect::<Vec<_>>().join(" "), "{what}");
    let standing = |code: &str| {
        let is_standing = |line: &&InferredLine| matches!(line, InferredLine::Anomaly(of) if !of.retracted && of.code == code);
        tracked.lines.iter().filter(is_standing).count()
    };
    assert_eq!(standing("illegal-move"), 0, "{what}: {:?}", tracked.anomalies());
    assert_eq!(standing("setup-wrong"), times, "{what}: {:?}", tracked.anomalies());
}

#[test]
fn castling_over_a_missing_knight_is_no_offence() {
    let moves: &Moves = &[
        &[("e2", "e4")],
        &[("e7", "e5")],
        &[("g1", "f3")],
        &[("f8", "c5")],
        &[("f1", "c4")],
        &[("e8", "g8"), ("h8", "f8")],
        &[("d2", "d3")],
        &[("d7", "d6")],
        &[("c2", "c3")],
        &[("c8", "g4")],
    ];
    for sensor in SENSORS {
        let tracked = played(sensor, &[("g8", None)], moves);
        // One weak magnet is likelier than a missing piece.
        let times = usize::from(sensor != SensorKind::HallMagnitude);
        assert_read(&tracked, moves, times, &format!("{sensor:?}"));
    }
}

#[test]
fn rook_goes_over_the_square_of_a_missing_pawn() {
    let moves: &Moves = &[
        &[("e2", "e4")],
        &[("e7", "e5")],
        &[("h1", "h4")],
        &[("b8", "c6")],
        &[("h4", "g4")],
        &[("g8", "f6")],
        &[("g4", "g7")],
        &[("f8", "g7")],
    ];
    for sensor in SENSORS {
        let tracked = played(sensor, &[("h2", None), ("b1", None)], moves);
        assert_read(&tracked, moves, 1, &format!("{sensor:?}"));
    }
}

#[test]
fn piece_too_many_moves_like_any_other() {
    let moves: &Moves = &[
        &[("e2", "e4")],
        &[("e7", "e5")],
        &[("b3", "c5")],
        &[("b8", "c6")],
        &[("c5", "d7")],
        &[("c8", "d7")],
        &[("g1", "f3")],
        &[("g8", "f6")],
    ];
    for sensor in SENSORS {
        let tracked = played(sensor, &[("b3", Some(Color::White.knight()))], moves);
        let times = usize::from(sensor != SensorKind::HallMagnitude);
        assert_read(&tracked, moves, times, &format!("{sensor:?}"));
    }
}

#[test]
fn any_two_kinds_of_pieces_may_be_exchanged() {
    let (rook, knight) = (Color::White.rook(), Color::White.knight());
    let (bishop, queen) = (Color::White.bishop(), Color::White.queen());
    let rooks: &Moves = &[
        &[("a1", "b3")],
        &[("e7", "e5")],
        &[("h2", "h4")],
        &[("b8", "c6")],
        &[("h1", "g3")],
        &[("g8", "f6")],
        &[("g3", "f5")],
        &[("d7", "d6")],
        &[("a2", "a3")],
        &[("c8", "f5")],
    ];
    let queens: &Moves = &[
        &[("d2", "d3")],
        &[("e7", "e5")],
        &[("c1", "g5")],
        &[("f7", "f6")],
        &[("g5", "h5")],
        &[("g7", "g6")],
        &[("h5", "h3")],
        &[("d7", "d5")],
    ];
    let cases: [(&str, &Changed, &Moves); 2] = [
        (
            "rooks and knights",
            &[("a1", Some(knight)), ("b1", Some(rook)), ("g1", Some(rook)), ("h1", Some(knight))],
            rooks,
        ),
        ("queen and bishop", &[("c1", Some(queen)), ("d1", Some(bishop))], queens),
    ];
    for (what, changed, moves) in cases {
        for sensor in SENSORS {
            let tracked = played(sensor, changed, moves);
            assert_read(&tracked, moves, 1, &format!("{what}, {sensor:?}"));
        }
    }
}
