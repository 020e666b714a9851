//! Every kind of sensor: tables by hand, and readings that make no sense.

mod common;

use std::collections::BTreeMap;

use common::{Table, header, track};
use inference::TrackerConfig;
use proptest::prelude::*;
use readings::{
    BoardHeader, Occupancy, Reading, ReadingKind, SensorKind, SquareReading, TraceHeader,
};
use rules::{BoardId, Color, Piece, Position, Role, Square};

fn header_of(a: SensorKind, b: SensorKind, trays: bool) -> TraceHeader {
    let board = |sensor| BoardHeader { trays, ..BoardHeader::new(sensor) };
    let boards = BTreeMap::from([(BoardId::A, board(a)), (BoardId::B, board(b))]);
    TraceHeader { boards, ..header() }
}

fn tray(table: &mut Table, board: BoardId, side: Color, slot: u8, occupied: bool) {
    let reading = if occupied { SquareReading::Occupied } else { SquareReading::Empty };
    table.read(board, ReadingKind::Tray { side, slot, reading });
}

/// On board A White takes a pawn and then a knight; Black of board B drops what was in `slot`.
fn drop_from_slot(slot: u8) -> String {
    let (a, b, black) = (BoardId::A, BoardId::B, Color::Black);
    let mut table = Table::started();
    table.play_all(a, &["e2e4", "d7d5"]);
    table.play(a, "e4d5");
    table.wait_ms(900);
    tray(&mut table, b, black, 0, true);
    table.play_all(a, &["g8f6", "b1c3", "f6d5"]);
    table.play(a, "c3d5");
    table.wait_ms(900);
    tray(&mut table, b, black, 1, true);
    table.wait_ms(12_000);
    table.play(b, "e2e4");
    tray(&mut table, b, black, slot, false);
    table.play(b, if slot == 0 { "P@d5" } else { "N@d5" });
    let reed = SensorKind::Reed;
    let tracked = track(&header_of(reed, reed, true), &table.readings, TrackerConfig::default());
    tracked.plies(b)[1].live.expect("a live answer").uci.to_string()
}

#[test]
fn a_drop_is_what_was_captured_when_its_slot_was_filled() {
    assert_eq!(drop_from_slot(0), "P@d5");
    assert_eq!(drop_from_slot(1), "N@d5");
}

fn read_all(table: &mut Table, board: BoardId, says: impl Fn(Option<Piece>) -> SquareReading) {
    let position = Position::initial();
    let squares = Square::ALL.into_iter().map(|square| says(position.piece_at(square))).collect();
    table.read(board, ReadingKind::Snapshot { occupied: None, squares: Some(squares) });
}

fn read_square(table: &mut Table, board: BoardId, square: Square, reading: SquareReading) {
    table.wait_ms(300);
    let (reading, level) = match reading {
        SquareReading::Level(level) => (None, Some(level)),
        reading => (Some(reading), None),
    };
    table.read(board, ReadingKind::Square { square, reading, level });
}

#[test]
fn a_change_of_colour_shows_a_capture_that_left_no_gap() {
    let colour = |piece: Option<Piece>| {
        piece.map_or(SquareReading::Empty, |piece| SquareReading::Side(piece.color))
    };
    let (a, white, black) = (BoardId::A, Color::White, Color::Black);
    let mut table = Table::empty();
    read_all(&mut table, a, colour);
    table.press(a, black);
    for (from, to, color) in [
        (Square::E2, Square::E4, white),
        (Square::D7, Square::D5, black),
        (Square::H2, Square::H3, white),
        (Square::F7, Square::F5, black),
        (Square::E4, Square::D5, white),
    ] {
        read_square(&mut table, a, from, SquareReading::Empty);
        read_square(&mut table, a, to, SquareReading::Side(color));
        table.press(a, color);
    }
    let header = header_of(SensorKind::HallPolarity, SensorKind::Reed, false);
    let tracked = track(&header, &table.readings, TrackerConfig::default());
    // A pawn that left e4 may have taken on either square; a reed board could only guess.
    assert_eq!(tracked.moves(a), "e2e4 d7d5 h2h3 f7f5 e4d5");
    assert!(tracked.plies(a)[4].live.expect("a live answer").p > 0.99);
}

/// White of board A takes a pawn, a knight and a queen, and Black of board B drops something on e6 that
/// board B says `dropped` of.
fn drop_that_reads(
    sensor: SensorKind,
    says: impl Fn(Option<Piece>) -> SquareReading,
    dropped: SquareReading,
) -> (String, f64) {
    let (a, b) = (BoardId::A, BoardId::B);
    let mut table = Table::started();
    read_all(&mut table, b, &says);
    table.play_all(a, &["e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "g8f6", "c3d5", "f6d5"]);
    table.play_all(a, &["c2c4", "a7a6", "c4d5", "a6a5"]);
    let pawn = says(Some(Color::White.pawn()));
    read_square(&mut table, b, Square::E2, says(None));
    read_square(&mut table, b, Square::E4, pawn);
    table.press(b, Color::White);
    read_square(&mut table, b, Square::E6, dropped);
    table.press(b, Color::Black);
    let header = header_of(SensorKind::Reed, sensor, false);
    let tracked = track(&header, &table.readings, TrackerConfig::default());
    let ply = tracked.plies(b)[1];
    (ply.uci.to_string(), ply.p)
}

fn level(piece: Option<Piece>) -> SquareReading {
    let strength = |role| [25, 41, 58, 73, 91, 108][role as usize - 1];
    SquareReading::Level(piece.map_or(1, |piece| {
        if piece.color.is_white() { strength(piece.role) } else { -strength(piece.role) }
    }))
}

#[test]
fn a_level_that_nobody_stated_tells_the_type_of_a_drop() {
    for (read, expected) in [(-26, "P@e6"), (-40, "N@e6"), (-92, "Q@e6")] {
        let (uci, p) =
            drop_that_reads(SensorKind::HallMagnitude, level, SquareReading::Level(read));
        assert_eq!(uci, expected);
        assert!(p > 0.95, "{uci} {p}");
    }
}

#[test]
fn a_letter_tells_the_type_of_a_drop_unless_nobody_holds_that_piece() {
    let letter = |piece: Option<Piece>| piece.map_or(SquareReading::Empty, SquareReading::Piece);
    let read = |role| {
        let dropped = SquareReading::Piece(Piece { color: Color::Black, role });
        drop_that_reads(SensorKind::PieceId, letter, dropped)
    };
    assert_eq!(read(Role::Knight).0, "N@e6");
    assert!(read(Role::Knight).1 > 0.99);
    assert_eq!(read(Role::Queen).0, "Q@e6");
    // Nobody has taken a rook: the tag may be wrong, or a capture was missed; neither is certain.
    let (uci, p) = read(Role::Rook);
    assert!(p < 0.999, "{uci} {p}");
}

fn square_reading() -> impl Strategy<Value = SquareReading> {
    let color = prop_oneof![Just(Color::White), Just(Color::Black)];
    let piece =
        (color.clone(), 0usize..6).prop_map(|(color, role)| Piece { color, role: Role::ALL[role] });
    prop_oneof![
        Just(SquareReading::Empty),
        Just(SquareReading::Occupied),
        color.prop_map(SquareReading::Side),
        piece.prop_map(SquareReading::Piece),
        any::<i32>().prop_map(SquareReading::Level),
        (-150i32..150).prop_map(SquareReading::Level),
    ]
}

fn kind() -> impl Strategy<Value = ReadingKind> {
    let color = || prop_oneof![Just(Color::White), Just(Color::Black)];
    let square = (0u32..64).prop_map(Square::new);
    prop_oneof![
        8 => (square, square_reading()).prop_map(|(square, said)| match said {
            SquareReading::Level(level) =>
                ReadingKind::Square { square, reading: None, level: Some(level) },
            reading => ReadingKind::Square { square, reading: Some(reading), level: None },
        }),
        4 => (color(), 0u8..20, square_reading())
            .prop_map(|(side, slot, reading)| ReadingKind::Tray { side, slot, reading }),
        4 => color().prop_map(|by| ReadingKind::Press { by }),
        1 => proptest::collection::vec(square_reading(), 63..=64)
            .prop_map(|squares| ReadingKind::Snapshot { occupied: None, squares: Some(squares) }),
        1 => Just(ReadingKind::Snapshot { occupied: Some(Occupancy::INITIAL), squares: None }),
    ]
}

fn any_sensor() -> impl Strategy<Value = SensorKind> {
    prop::sample::select(vec![
        SensorKind::Reed,
        SensorKind::HallPolarity,
        SensorKind::HallMagnitude,
        SensorKind::PieceId,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_readings_of_any_kind_make_it_panic_or_forget_its_bounds(
        kinds in proptest::collection::vec((any::<bool>(), kind(), 0u64..700_000), 0..160),
        (a, b) in (any_sensor(), any_sensor()),
        stated in proptest::option::of(-200.0f64..200.0),
    ) {
        let mut header = header_of(a, b, true);
        header.levels = stated.map(|level| BTreeMap::from([('P', level), ('q', -2.0 * level)]));
        header.sigma = stated;
        let mut t_us = 0;
        let readings: Vec<Reading> = kinds
            .into_iter()
            .map(|(first, kind, wait_us)| {
                t_us += wait_us;
                let board = Some(if first { BoardId::A } else { BoardId::B });
                Reading { t_us, board, kind }
            })
            .collect();
        let config = || TrackerConfig { beam: 64, ..TrackerConfig::default() };
        let tracked = track(&header, &readings, config());
        for board in BoardId::ALL {
            for ply in tracked.plies(board) {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&ply.p), "{ply:?}");
            }
        }
        prop_assert_eq!(tracked.lines, track(&header, &readings, config()).lines);
    }

    #[test]
    fn readings_are_read_as_they_were_written(said in square_reading()) {
        let text = serde_json::to_string(&said).expect("a reading");
        prop_assert_eq!(serde_json::from_str::<SquareReading>(&text).expect("a reading"), said);
    }
}
