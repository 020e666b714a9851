//! Properties of implied presses: for all readings, time goes on, no reading is lost, and presses alternate with moves.

use proptest::prelude::*;
use readings::{BoardHeader, Occupancy, SensorKind, SquareReading};
use rules::{Bitboard, Square};

use super::*;

fn header(clockless: bool) -> TraceHeader {
    let board = BoardHeader { clockless, ..BoardHeader::new(SensorKind::Reed) };
    TraceHeader::new(
        "us-chess-bughouse-2018",
        300,
        BoardId::ALL.map(|id| (id, board.clone())).into(),
    )
}

fn any_kind() -> impl Strategy<Value = ReadingKind> {
    let square = (0..64u32, any::<bool>()).prop_map(|(square, occupied)| {
        let reading = if occupied { SquareReading::Occupied } else { SquareReading::Empty };
        ReadingKind::Square { square: Square::new(square), reading: Some(reading), level: None }
    });
    let snapshot = any::<u64>().prop_map(|bits| {
        let occupied = Some(Occupancy(Bitboard(bits | Occupancy::INITIAL.0.0)));
        ReadingKind::Snapshot { occupied, squares: None }
    });
    prop_oneof![20 => square, 1 => snapshot, 1 => Just(ReadingKind::Press { by: Color::White })]
}

proptest! {
    #[test]
    fn every_reading_is_passed_on_in_order(
        kinds in prop::collection::vec((any_kind(), any::<bool>(), 0..5_000_000u64), 0..200),
        clockless: bool,
    ) {
        let mut unpressed = Unpressed::new(&header(clockless));
        let (mut t_us, mut given, mut passed) = (0, Vec::new(), Vec::new());
        for (kind, on_b, step_us) in kinds {
            t_us += step_us;
            // Stillness completes each ply once.
            for _ in 0..4 {
                let due = unpressed.poll_timeout().filter(|&due| due <= t_us);
                due.into_iter().for_each(|due| unpressed.advance(due));
            }
            prop_assert!(unpressed.poll_timeout().is_none_or(|due| due > t_us));
            let board = Some(if on_b { BoardId::B } else { BoardId::A });
            let reading = Reading { t_us, board, kind };
            unpressed.take(&reading);
            given.push(reading);
            passed.extend(std::iter::from_fn(|| unpressed.poll()));
        }
        unpressed.take(&Reading { t_us, board: None, kind: ReadingKind::End });
        passed.extend(std::iter::from_fn(|| unpressed.poll()));
        let mut rest = passed.iter();
        for reading in &given {
            prop_assert!(rest.any(|it| it == reading), "{reading:?} is lost");
        }
        prop_assert!(passed.is_sorted_by_key(|reading| reading.t_us));
    }
}

/// Readings of a board from the start: changes of squares, such as `e2 off, e4 on`, one every 120 ms; `rest` for 5 s; or a clock, such as
/// `white runs`, `clock stopped`, or a lever, as `black pressed`.
fn read(changes: &str) -> Vec<Reading> {
    let snapshot = ReadingKind::Snapshot { occupied: Some(Occupancy::INITIAL), squares: None };
    let mut readings = vec![Reading { t_us: 0, board: Some(BoardId::A), kind: snapshot }];
    let mut t_us = 0;
    let clock = |running| ReadingKind::Clock { white_ms: 9_000, black_ms: 9_000, running };
    for change in changes.split(", ") {
        let kind = match change.split_once(' ').unwrap_or((change, "")) {
            ("rest", _) => {
                t_us += 5_000_000;
                continue;
            }
            ("white", "runs") => clock(Some(Color::White)),
            ("black", "runs") => clock(Some(Color::Black)),
            ("clock", _) => clock(None),
            ("black", _) => ReadingKind::Press { by: Color::Black },
            (square, way) => {
                let square = square.parse().expect("a square");
                let is_on = way == "on";
                let read = if is_on { SquareReading::Occupied } else { SquareReading::Empty };
                ReadingKind::Square { square, reading: Some(read), level: None }
            }
        };
        readings.push(Reading { t_us, board: Some(BoardId::A), kind });
        t_us += 120_000;
    }
    readings
}

/// Readings of changes of squares at a board without a clock, with the presses that they imply.
fn without_clock(changes: &str) -> Vec<Reading> {
    let mut header = header(true);
    header.game = rules::Game::Chess;
    with_implied_presses(&header, &read(changes))
}

/// The presses that changes of squares imply at a board without a clock.
fn implied(changes: &str) -> Vec<Color> {
    let by = without_clock(changes).into_iter().filter_map(|reading| match reading.kind {
        ReadingKind::Press { by } => Some(by),
        _ => None,
    });
    by.collect()
}

#[test]
fn a_pawn_that_is_taken_in_passing_at_last_completes_no_ply_of_its_owner() {
    let to_e5 = "e2 off, e4 on, a7 off, a6 on, e4 off, e5 on, d7 off, d5 on";
    for capture in ["e5 off, d6 on, d5 off", "e5 off, d5 off, d6 on", "d5 off, e5 off, d6 on"] {
        let changes = format!("{to_e5}, {capture}, d6 off, c7 off, d6 on, g1 off, f3 on");
        let both = [Color::White, Color::Black];
        let expected: Vec<Color> = both.into_iter().cycle().take(7).collect();
        assert_eq!(implied(&changes), expected, "{capture}");
    }
    // The opponent may answer with the piece that stands there, too.
    let bishop = "b2 off, b3 on, a7 off, a6 on, c1 off, b2 on, a6 off, a5 on, b2 off, e5 on, d7 off, d5 on, e5 off, d6 on, d5 off, d4 on";
    assert_eq!(implied(bishop).last(), Some(&Color::Black));
    // A bishop takes nothing in passing: the answer completes its ply at once.
    let all = without_clock(bishop);
    let by_white = ReadingKind::Press { by: Color::White };
    let pressed = all.iter().rposition(|it| it.kind == by_white).expect("a press");
    assert_eq!(all.len() - pressed, 4, "before d5 is left: {all:?}");
}

#[test]
fn pieces_put_back_beside_a_clock_that_runs_are_cut_after_the_last_ply() {
    let played = "e2 off, e4 on, black runs, e7 off, e5 on";
    let back = "e4 off, e5 off, e2 on, e7 on";
    let of_clock = |how: &str| {
        let before = format!("{played}, {how}, rest");
        let (before, all) = (read(&before).len(), read(&format!("{before}, {back}")));
        (before, without_put_back(&header(false), &all).len(), all.len())
    };
    for how in ["white runs", "black pressed"] {
        let (before, kept, _) = of_clock(how);
        assert_eq!(kept, before, "{how}");
    }
    let (_, kept, all) = of_clock("clock stopped");
    assert_eq!(kept, all, "nothing is a ply there");
    let kings = read(&format!(
        "{played}, black pressed, e1 off, d4 on, e8 off, d5 on, rest, d4 off, d5 off, e1 on, {back}, e8 on"
    ));
    let of_play = read(&format!("{played}, black pressed")).len();
    assert_eq!(without_put_back(&header(false), &kings).len(), of_play, "kings that are shown");
    // A last ply with a piece that was put right beside it, and nothing put back.
    let all = read(&format!(
        "{played}, black pressed, g1 off, g1 on, h1 off, h1 on, d1 off, f7 off, f7 on"
    ));
    assert_eq!(without_put_back(&header(false), &all).len(), all.len());
    // The last ply has no press, as a mate has none, or its piece goes home.
    for last in ["f1 off, c4 on", "e7 off, d8 on"] {
        let before = format!("{played}, white runs, d8 off, e7 on, black pressed, rest, {last}");
        let all = read(&format!("{before}, rest, {back}, c4 off, f1 on, g1 off, g1 on"));
        assert_eq!(without_put_back(&header(false), &all).len(), read(&before).len(), "{last}");
    }
}
