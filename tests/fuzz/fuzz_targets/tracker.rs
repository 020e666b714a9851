//! The tracker: sound readings of any kind at any table, made of any bytes, which reaches further than bytes that must first be a file.
//! The first bytes choose the table and what people know of the match. Nothing panics, probabilities are probabilities, and memory
//! stays bounded.

#![no_main]

use std::collections::BTreeMap;

use inference::{
    Tracker, TrackerConfig, TrackerOutput,
    facts::{Facts, FactsFile},
};
use libfuzzer_sys::fuzz_target;
use readings::{
    BoardHeader, HandFrom, Occupancy, Reading, ReadingKind, SensorKind, SquareReading, TraceHeader,
};
use rules::{Bitboard, BoardId, Color, Game, Piece, Position, Role, Square};

/// Hypotheses kept: few, so that many readings are tried.
const BEAM: usize = 16;
/// Maximum memory of a tracker with this number of hypotheses, bytes.
const MEMORY_MAX: usize = 16 << 20;
/// Bytes of one step.
const OF_STEP: usize = 4;
/// Maximum number of facts about a match, so that bytes are left for its readings.
const MAX_FACTS: usize = 7;
/// Clock times that no clock shows, and those at which something changes, milliseconds.
const CLOCKS_MS: [i64; 8] =
    [i64::MIN, i64::MAX, -1, 0, 1, 300_000, 360_000_001, u32::MAX as i64 + 1];
/// Positions of a reinstated board.
const STANDS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[Pn] w KQkq - 0 2",
    "4k3/8/8/8/8/8/8/4K3[QRBNPqrbnp] b - - 0 1",
    "Q~2qk2r/8/8/3pP3/8/8/8/R3K2R[] w KQk d6 0 9",
];

/// Bytes that are consumed one after the other; 0 when none are left.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }
}

fn color(number: u8) -> Color {
    if number & 1 == 0 { Color::White } else { Color::Black }
}

fn board(number: u8) -> BoardId {
    if number & 1 == 0 { BoardId::A } else { BoardId::B }
}

fn piece(number: u8) -> Piece {
    Piece { color: color(number >> 4), role: Role::ALL[usize::from(number % 6)] }
}

/// The sensors, the boards and the time of a table.
fn header(bytes: &mut Bytes<'_>) -> TraceHeader {
    let [what, more] = [bytes.next(), bytes.next()];
    let sensor = match what & 3 {
        0 => SensorKind::Reed,
        1 => SensorKind::HallPolarity,
        2 => SensorKind::HallMagnitude,
        _ => SensorKind::PieceId,
    };
    let is_chess = what >> 3 & 3 == 3;
    let of_board = BoardHeader {
        trays: what & 4 != 0,
        scan_ms: (more & 1 != 0).then_some(100),
        clock_resolution_ms: (more & 2 != 0).then_some(1_000),
        sigma: (more & 4 != 0).then_some(4.0),
        levels: (more & 8 != 0).then(|| BTreeMap::from([('P', 30.0), ('k', -110.0)])),
        ..BoardHeader::new(sensor)
    };
    // The other board of one table in four senses otherwise.
    let other =
        if more & 0x30 == 0 { BoardHeader::new(SensorKind::Reed) } else { of_board.clone() };
    let mut boards = BTreeMap::from([(BoardId::A, of_board), (BoardId::B, other)]);
    match what >> 3 & 3 {
        0 => {}
        1 => drop(boards.remove(&BoardId::A)),
        _ => drop(boards.remove(&BoardId::B)),
    }
    let (game, book) = match (is_chess, what >> 5 & 3) {
        (true, _) => (Game::Chess, "us-chess-blitz-2020"),
        (false, 0) => (Game::Bughouse, "of-nobody"),
        (false, _) => (Game::Bughouse, "us-chess-bughouse-2018"),
    };
    let base_s = [0, 60, 300, u32::MAX][usize::from(more >> 6)];
    let delay_s = if what & 0x80 == 0 { 0 } else { 5 };
    TraceHeader { game, delay_s, ..TraceHeader::new(book, base_s, boards) }
}

/// A fact about a match, as a line of a facts file.
fn fact(bytes: &mut Bytes<'_>) -> String {
    let [what, at, how, t_s] = [(); 4].map(|()| bytes.next());
    let (on, t_us) = (board(what), u64::from(t_s) * 1_000_000);
    let side = if color(how).is_white() { "white" } else { "black" };
    let square = |number: u8| Square::new(u32::from(number % 64));
    let said = match what >> 1 & 7 {
        0 => format!(r#""side":"{side}","t_us":{t_us},"uci":"{}{}""#, square(at), square(how)),
        1 => format!(r#""side":"{side}","t_us":{t_us},"not":"N@{}""#, square(at)),
        2 => format!(r#""t_us":{t_us},"to":"{}","piece":"Q""#, square(at)),
        3 => format!(r#""side":"{side}","t_us":{t_us},"made":false"#),
        4 => format!(r#""side":"{side}","result":"mate""#),
        5 => format!(r#""t_us":{t_us},"per_move":{{"increment_s":{at},"delay_s":0}}"#),
        6 => {
            let text = STANDS[usize::from(at % 4)];
            return format!(
                r#"{{"kind":"fact","final":{{"{on}":"{}"}}}}"#,
                text.split(' ').next().unwrap_or("")
            );
        }
        _ => format!(r#""t_us":{t_us},"stands":{{"{on}":"{}"}}"#, STANDS[usize::from(at % 4)]),
    };
    format!(r#"{{"kind":"fact","board":"{on}",{said}}}"#)
}

/// Facts about a match. Invalid ones, such as a ply from a square to itself, are left out.
fn facts(bytes: &mut Bytes<'_>) -> Facts {
    let count = usize::from(bytes.next()) % (MAX_FACTS + 1);
    let lines: Vec<String> = (0..count).map(|_| fact(bytes)).collect();
    let read = |line: &String| FactsFile::read(line.as_bytes()).ok();
    let files = lines.iter().filter_map(read);
    files.flat_map(|file| file.of("m").iter().cloned().collect::<Vec<_>>()).collect()
}

/// Reading of a square, by a number.
fn said(kind: SensorKind, how: u8) -> SquareReading {
    match kind {
        _ if how & 2 == 0 => SquareReading::Empty,
        SensorKind::Reed => SquareReading::Occupied,
        SensorKind::HallPolarity => SquareReading::Side(color(how >> 2)),
        SensorKind::HallMagnitude => SquareReading::Level(level(how)),
        SensorKind::PieceId => SquareReading::Piece(piece(how >> 2)),
    }
}

/// A level: few are of any piece, and some are of none.
fn level(how: u8) -> i32 {
    match how >> 2 {
        0 => i32::MAX,
        1 => i32::MIN,
        step => (i32::from(step) - 32) * 5,
    }
}

/// Snapshot of a board that is set up, except for the squares in `noise`.
fn snapshot(kind: SensorKind, noise: u64, how: u8) -> ReadingKind {
    let occupied = Occupancy::INITIAL.0 ^ Bitboard(noise);
    if kind == SensorKind::Reed {
        return ReadingKind::Snapshot { occupied: Some(Occupancy(occupied)), squares: None };
    }
    let initial = Position::initial();
    let of_square = |square: Square| match initial.piece_at(square) {
        _ if !occupied.contains(square) => SquareReading::Empty,
        None => said(kind, how | 2),
        Some(piece) => match kind {
            SensorKind::HallPolarity => SquareReading::Side(piece.color),
            SensorKind::HallMagnitude => {
                let size = 20 * piece.role as i32;
                SquareReading::Level(if piece.color.is_white() { size } else { -size })
            }
            _ => SquareReading::Piece(piece),
        },
    };
    let squares = Some(Square::ALL.into_iter().map(of_square).collect());
    ReadingKind::Snapshot { occupied: None, squares }
}

/// A clock time: of those that no clock shows, or an ordinary one.
fn clock_ms(number: u8) -> i64 {
    let wild = CLOCKS_MS.get(usize::from(number));
    wild.copied().unwrap_or(i64::from(number) * 1_500 - 12_000)
}

/// A step from four bytes: what, where, how, and after how many times 10 ms. None if time alone passed.
fn step(
    kinds: [SensorKind; 2],
    [what, at, how, wait]: [u8; OF_STEP],
    t_us: &mut u64,
) -> Option<Reading> {
    let (board, side) = (board(what), color(how));
    let kind_of_board = kinds[board.index()];
    let square = Square::new(u32::from(at % 64));
    *t_us = t_us.saturating_add(u64::from(wait) * 10_000);
    let said = said(kind_of_board, how);
    let kind = match what >> 1 {
        0..=67 => match said {
            SquareReading::Level(level) => {
                ReadingKind::Square { square, reading: None, level: Some(level) }
            }
            said => ReadingKind::Square { square, reading: Some(said), level: None },
        },
        68..=93 => ReadingKind::Press { by: side },
        94..=99 => ReadingKind::Clock {
            white_ms: clock_ms(at),
            black_ms: clock_ms(how),
            running: (what & 1 == 0).then_some(side),
        },
        100..=105 => ReadingKind::Tray { side, slot: at % 18, reading: said },
        106..=107 => ReadingKind::Tilt { on: how & 2 == 0 },
        108..=110 => ReadingKind::Hand {
            side,
            near: how & 2 == 0,
            from: [None, Some(HandFrom::Board), Some(HandFrom::Away)][usize::from(how % 3)],
        },
        111 => ReadingKind::Gap { lost: u64::from(at) << (how % 58) },
        112 => ReadingKind::End,
        // A reading that another board would have made.
        113 => ReadingKind::Square {
            square,
            reading: Some(SquareReading::Piece(piece(how))),
            level: None,
        },
        // A long wait, with a reading at its end or without one; a time that lies behind.
        114 => {
            *t_us = t_us.saturating_add(u64::from(wait) << (at % 58));
            ReadingKind::Press { by: side }
        }
        115 => {
            let t_us = t_us.saturating_sub(u64::from(at) * 100_000);
            return Some(Reading {
                t_us,
                board: Some(board),
                kind: ReadingKind::Press { by: side },
            });
        }
        116..=121 => {
            *t_us = t_us.saturating_add(u64::from(wait) << (at % 40));
            return None;
        }
        _ => snapshot(kind_of_board, u64::from(at) << (how % 56), how),
    };
    Some(Reading { t_us: *t_us, board: (what != u8::MAX).then_some(board), kind })
}

/// Takes what the tracker puts out. Probabilities are probabilities.
fn take_outputs(tracker: &mut Tracker) {
    while let Some(output) = tracker.poll_output() {
        match output {
            TrackerOutput::Ply(ply) => assert!((0.0..=1.0).contains(&ply.p)),
            TrackerOutput::Anomaly(found) => assert!((0.0..=1.0).contains(&found.confidence)),
            _ => {}
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    let header = header(&mut bytes);
    let kinds = BoardId::ALL
        .map(|board| header.boards.get(&board).map_or(SensorKind::Reed, |board| board.sensor));
    let config = TrackerConfig { beam: BEAM, facts: facts(&mut bytes), ..TrackerConfig::default() };
    let mut tracker = Tracker::new(&header, config);
    let mut t_us = 0;
    for board in BoardId::ALL {
        let kind = snapshot(kinds[board.index()], 0, 0);
        tracker.handle(&Reading { t_us, board: Some(board), kind });
        t_us += 1_000_000;
        let kind = ReadingKind::Press { by: Color::Black };
        tracker.handle(&Reading { t_us, board: Some(board), kind });
    }
    let (parts, _) = bytes.0.as_chunks::<OF_STEP>();
    for &part in parts {
        match step(kinds, part, &mut t_us) {
            Some(reading) => tracker.handle(&reading),
            // The tracker's next timeout, or the present time.
            None => match tracker.poll_timeout().filter(|_| part[2] & 1 == 0) {
                Some(due_us) => tracker.handle_timeout(due_us),
                None => tracker.handle_timeout(t_us),
            },
        }
        take_outputs(&mut tracker);
        assert!(tracker.memory_bytes() < MEMORY_MAX);
    }
    tracker.finish();
    take_outputs(&mut tracker);
    assert!(tracker.memory_bytes().max(tracker.second_pass_bytes()) < MEMORY_MAX);
    assert!((0.0..=1.0 + 1e-9).contains(&tracker.probability_of_record()));
    let _ = (tracker.record(), tracker.judged(), tracker.unreconciled());
});
