//! Boards and clocks that lie turned on the table, for each kind of sensor.

mod common;

use std::collections::BTreeMap;

use common::{Table, Tracked, track};
use inference::{TrackerConfig, TrackerOutput};
use readings::{
    BoardHeader, InferredLine, Reading, ReadingKind, SensorKind, SquareReading, TraceHeader,
};
use rules::{BoardId, Color, Match, Piece, Ply, Square};

use BoardId::{A, B};

const MOVES: [&str; 12] = [
    "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "f8c5", "c2c3", "d7d6", "e1g1", "e8g8",
];

/// How board A of a table lies.
#[derive(Clone, Copy, Debug)]
struct Lies {
    quarters: u32,
    clock_turned: bool,
    sensor: SensorKind,
}

impl Lies {
    /// The square of the sensors that a square of the game is on.
    fn sensed(self, square: Square) -> Square {
        (0..self.quarters).fold(square, |square, _| {
            let index = u32::from(square) as usize;
            Square::ALL[8 * (index % 8) + 7 - index / 8]
        })
    }

    fn reading(self, piece: Option<Piece>) -> (Option<SquareReading>, Option<i32>) {
        common::reading(self.sensor, piece)
    }

    fn player(self, color: Color) -> Color {
        if self.clock_turned { color.other() } else { color }
    }

    fn clock(self, left_ms: [i64; 2], running: Option<Color>) -> ReadingKind {
        let [white_ms, black_ms] =
            if self.clock_turned { [left_ms[1], left_ms[0]] } else { left_ms };
        ReadingKind::Clock { white_ms, black_ms, running: running.map(|side| self.player(side)) }
    }
}

/// A game of chess on a reed board: moves, each with the squares of the sensors and the label of the
/// button that is pressed, after the button `start` was.
fn chess(start: Color, moves: &[(&str, &str, Color)]) -> Tracked {
    let mut table = Table::empty_chess();
    table.wait_ms(1_000);
    table.press(A, start);
    for (from, to, by) in moves {
        table.wait_ms(700);
        table.lift(A, from.parse().expect("a square"));
        table.put(A, to.parse().expect("a square"));
        table.press(A, *by);
    }
    table.track()
}

const BLACK_BEGINS: [(&str, &str); 12] = [
    ("e7", "e5"),
    ("e2", "e4"),
    ("b8", "c6"),
    ("b1", "c3"),
    ("d7", "d6"),
    ("d2", "d3"),
    ("c8", "e6"),
    ("c1", "e3"),
    // Only from here on do plies tell that the table does not lie turned by half.
    ("d8", "g5"),
    ("d1", "g4"),
    ("g8", "f6"),
    ("g1", "f3"),
];

#[test]
fn table_at_which_black_begins_is_followed_straight_once_plies_tell() {
    let mut by = Color::White;
    let moves = BLACK_BEGINS.map(|(from, to)| {
        by = by.other();
        (from, to, by)
    });
    let tracked = chess(Color::White, &moves);
    let played = BLACK_BEGINS.map(|(from, to)| format!("{from}{to}"));
    assert_eq!(tracked.moves(A), played.join(" "), "{:?}", tracked.anomalies());
    let turned = ["board-turned", "clock-turned", "illegal-move", "setup-wrong"];
    let told = tracked.anomalies();
    assert!(!told.iter().any(|of| turned.iter().any(|code| of.starts_with(code))), "{told:?}");
}

#[test]
fn hands_that_reach_over_at_the_first_presses_turn_no_board() {
    let mut table = Table::started();
    let lift = |table: &mut Table, square| table.lift(A, square);
    // Both players lift a piece before the opponent has pressed, at the first plies.
    let plies = [
        (Square::G1, Square::F3),
        (Square::G8, Square::F6),
        (Square::D2, Square::D4),
        (Square::B8, Square::C6),
        (Square::B1, Square::C3),
        (Square::E7, Square::E6),
        (Square::C1, Square::F4),
        (Square::F8, Square::B4),
        (Square::E2, Square::E3),
    ];
    lift(&mut table, plies[0].0);
    let mut by = Color::White;
    for (at, (_, to)) in plies.iter().enumerate() {
        table.put(A, *to);
        let next = plies.get(at + 1);
        if let Some((next, _)) = next.filter(|_| at < 3) {
            lift(&mut table, *next);
        }
        table.press(A, by);
        if let Some((next, _)) = next.filter(|_| at >= 3) {
            lift(&mut table, *next);
        }
        by = by.other();
    }
    table.wait_ms(2_000);
    let tracked = table.track();
    let played: Vec<String> = plies.iter().map(|(from, to)| format!("{from}{to}")).collect();
    assert_eq!(tracked.moves(A), played.join(" "));
    let told = tracked.anomalies();
    assert!(!told.iter().any(|code| code.ends_with("-turned")), "{told:?}");
}

/// Both boards of a table on which board A lies like this, and `moves` are played on both.
fn played(lies: Lies, moves: &[&str]) -> Tracked {
    let usual = Lies { quarters: 0, clock_turned: false, ..lies };
    let of = |board| if board == A { lies } else { usual };
    let mut readings = Vec::new();
    let mut t_us = 0;
    let mut now = Match::initial();
    let say = |readings: &mut Vec<Reading>, t_us, board, kind| {
        readings.push(Reading { t_us, board: Some(board), kind });
    };
    let mut left_ms = [300_000; 2];
    for board in [A, B] {
        let mut squares = vec![SquareReading::Empty; 64];
        for square in Square::ALL {
            let (reading, level) = of(board).reading(now.position(board).piece_at(square));
            let reading = level.map(SquareReading::Level).or(reading).expect("a reading");
            squares[usize::from(of(board).sensed(square))] = reading;
        }
        let squares = Some(squares);
        say(&mut readings, t_us, board, ReadingKind::Snapshot { occupied: None, squares });
        say(&mut readings, t_us, board, of(board).clock(left_ms, None));
    }
    t_us += 2_000_000;
    for board in [A, B] {
        say(&mut readings, t_us, board, ReadingKind::Press { by: of(board).player(Color::Black) });
        say(&mut readings, t_us, board, of(board).clock(left_ms, Some(Color::White)));
    }
    for (nth, uci) in moves.iter().enumerate() {
        for board in [A, B] {
            let ply: Ply = uci.parse().expect("a ply");
            let side = now.position(board).turn();
            let before = now.position(board).clone();
            now.play(board, ply);
            let after = now.position(board).clone();
            let changed = |filled: bool| {
                let (before, after) = (before.clone(), after.clone());
                Square::ALL.into_iter().filter(move |&square| {
                    before.piece_at(square) != after.piece_at(square)
                        && after.piece_at(square).is_some() == filled
                })
            };
            for square in changed(false).chain(changed(true)) {
                t_us += 250_000;
                let (reading, level) = of(board).reading(after.piece_at(square));
                let square = of(board).sensed(square);
                say(&mut readings, t_us, board, ReadingKind::Square { square, reading, level });
            }
            t_us += 500_000;
            left_ms[nth % 2] = 300_000 - 1_000 * (nth as i64 / 2 + 1);
            say(&mut readings, t_us, board, ReadingKind::Press { by: of(board).player(side) });
            say(&mut readings, t_us, board, of(board).clock(left_ms, Some(side.other())));
        }
    }
    let header = |sensor| BoardHeader::new(sensor);
    let boards = BTreeMap::from([(A, header(lies.sensor)), (B, header(lies.sensor))]);
    let header = TraceHeader::new("us-chess-bughouse-2018", 300, boards);
    track(&header, &readings, TrackerConfig::default())
}

fn codes(tracked: &Tracked) -> Vec<(String, Option<BoardId>)> {
    let found = tracked.lines.iter().filter_map(|line| match line {
        InferredLine::Anomaly(anomaly) => Some((anomaly.code.clone(), Some(anomaly.board))),
        _ => None,
    });
    found.filter(|(code, _)| code != "clock-jump").collect()
}

const SENSORS: [SensorKind; 4] =
    [SensorKind::Reed, SensorKind::HallPolarity, SensorKind::HallMagnitude, SensorKind::PieceId];

#[test]
fn turned_board_is_followed_turned_and_reported_once() {
    for sensor in SENSORS {
        for quarters in 1..4 {
            let lies = Lies { quarters, clock_turned: false, sensor };
            let tracked = played(lies, &MOVES);
            for board in [A, B] {
                assert_eq!(tracked.moves(board), MOVES.join(" "), "{lies:?}");
            }
            assert_eq!(codes(&tracked), [("board-turned".to_owned(), Some(A))], "{lies:?}");
        }
    }
}

#[test]
fn turned_clock_gives_its_times_to_the_right_players() {
    for sensor in SENSORS {
        let lies = Lies { quarters: 0, clock_turned: true, sensor };
        let tracked = played(lies, &MOVES);
        assert_eq!(tracked.moves(A), MOVES.join(" "), "{lies:?}");
        assert_eq!(codes(&tracked), [("clock-turned".to_owned(), Some(A))], "{lies:?}");
        let straight = played(Lies { clock_turned: false, ..lies }, &MOVES);
        let times = |tracked: &Tracked| {
            let reports = tracked.outputs.iter().filter_map(|output| match output {
                TrackerOutput::Ply(report) if report.board == A => {
                    Some((report.t_us, report.clock_ms))
                }
                _ => None,
            });
            reports.collect::<BTreeMap<_, _>>()
        };
        assert_eq!(times(&tracked), times(&straight), "{lies:?}");
    }
}

#[test]
fn board_and_clock_turned_together_are_both_reported() {
    let lies = Lies { quarters: 2, clock_turned: true, sensor: SensorKind::Reed };
    let tracked = played(lies, &MOVES);
    assert_eq!(tracked.moves(A), MOVES.join(" "));
    let codes: Vec<String> = codes(&tracked).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["board-turned", "clock-turned"]);
}

#[test]
fn short_game_on_a_turned_board_accuses_nobody() {
    for count in 1..4 {
        for clock_turned in [false, true] {
            let lies = Lies { quarters: 2, clock_turned, sensor: SensorKind::Reed };
            let tracked = played(lies, &MOVES[..count]);
            let wrong = |(code, _): &(String, _)| code == "illegal-move" || code == "setup-wrong";
            assert!(!codes(&tracked).iter().any(wrong), "{lies:?}: {:?}", codes(&tracked));
        }
    }
}

/// A game of chess without a clock on a reed board, half a turn from its labels or not: its presses are implied by the side of the squares.
/// `back`: moves of pieces that are put back.
fn without_clock(is_turned: bool, moves: &[(&str, &str)], back: &[(&str, &str)]) -> Tracked {
    let mut header = common::chess(r#"{"periods":[{"base_s":300}]}"#);
    header.boards.values_mut().for_each(|board| board.clockless = true);
    let mut table = Table::empty_chess();
    let mut by = if is_turned { Color::Black } else { Color::White };
    for (from, to) in moves.iter().chain(back) {
        let sensed = |name: &str| {
            let square: Square = name.parse().expect("a square");
            if is_turned { square.rotate_180() } else { square }
        };
        table.wait_ms(900);
        table.lift(A, sensed(from));
        table.put(A, sensed(to));
        table.press(A, by);
        by = by.other();
    }
    track(&header, &table.readings, TrackerConfig::default())
}

/// Plies that look alike from both sides.
const ALIKE: [(&str, &str); 8] = [
    ("e2", "e4"),
    ("d7", "d5"),
    ("g1", "f3"),
    ("g8", "f6"),
    ("b1", "c3"),
    ("b8", "c6"),
    ("a2", "a3"),
    ("a7", "a6"),
];

#[test]
fn pieces_put_back_at_a_board_without_a_clock_turn_nothing() {
    let back = ALIKE.map(|(from, to)| (to, from));
    let tracked = without_clock(false, &ALIKE, &back);
    let told = tracked.outputs.iter().filter_map(|output| match output {
        TrackerOutput::Anomaly(anomaly) => Some(anomaly.code.to_string()),
        _ => None,
    });
    let told: Vec<String> = told.filter(|code| code.ends_with("turned")).collect();
    assert_eq!(told, [""; 0]);
    let played = ALIKE.map(|(from, to)| format!("{from}{to}")).join(" ");
    assert!(tracked.moves(A).starts_with(&played), "{}", tracked.moves(A));
}

#[test]
fn a_board_without_a_clock_that_lies_turned_by_half_is_followed() {
    let moves = MOVES[..10].iter().map(|uci| uci.split_at(2)).collect::<Vec<_>>();
    let tracked = without_clock(true, &[&moves[..], &[("d1", "b3")]].concat(), &[]);
    assert_eq!(tracked.moves(A), format!("{} d1b3", MOVES[..10].join(" ")));
    let told = tracked.anomalies();
    assert!(told.iter().any(|of| of.starts_with("board-turned")), "{told:?}");
    assert!(!told.iter().any(|of| of.starts_with("clock-turned")), "{told:?}");
}
