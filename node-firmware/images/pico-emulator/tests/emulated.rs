//! The Pico's images in an emulator of the Pico: what they read from their pins, and what they say over USB and the UART.
//!
//! Needs the images and Node.js: `cargo xtask test pico`.

use node_pins::{SERIAL_STRAP, clock, reed_matrix};
use pico_emulator::boards::{
    BOARDS, Board, CLOCK, CLOCK_CHARACTERS, HALL, HALL_POLARITY, REED_MATRIX, REED_SHIFT, SQUARE,
};
use pico_emulator::{Bench, Level, Seen, measure};
use proto::link::{
    ClockKind, Frame, Hello, Message, NodeKind, NodeState, SCHEMA_HASH, SensorKind, SensorReading,
    Snapshot, StartReason,
};

const NUMBER: u32 = 0x1a2b_3c4d;
/// Time by which USB is up and the node has sent its HELLO.
const UP_US: u64 = 60_000;
/// Long enough for the first scans.
const WATCHED_US: u64 = 10_000;
/// Maximum time from a change to its first byte beyond the debounce time, µs.
const SLOWNESS_MAX_US: f64 = 2_000.0;
/// Maximum time of a scan, µs.
const SCAN_MAX_US: f64 = 1_000.0;
/// Stack that the images reserve, bytes.
const STACK_BYTES: u32 = 16_384;

fn bench(board: &Board) -> Bench {
    (board.wire)(bench_of(board))
}

/// The image on its own: nothing is wired to it.
fn bench_of(board: &Board) -> Bench {
    Bench::new(board.image, NUMBER)
}

fn messages(seen: &Seen) -> Vec<Message> {
    seen.frames()
        .into_iter()
        .map(|(_, frame)| frame.expect("every frame is whole").message)
        .collect()
}

fn hello(seen: &Seen) -> Hello {
    let hello = messages(seen).into_iter().find_map(|message| match message {
        Message::Hello(hello) => Some(hello),
        _ => None,
    });
    hello.expect("a node says HELLO")
}

fn last_snapshot(seen: &Seen) -> Snapshot {
    let snapshot = messages(seen).into_iter().rev().find_map(|message| match message {
        Message::Snapshot(snapshot) => Some(snapshot),
        _ => None,
    });
    snapshot.expect("a node tells its state")
}

fn changes(seen: &Seen) -> Vec<(u8, SensorReading)> {
    let squares = messages(seen).into_iter().filter_map(|message| match message {
        Message::SquaresChanged(squares) => Some(squares.changes),
        _ => None,
    });
    squares.flatten().map(|change| (change.square.get(), change.reading)).collect()
}

fn boot_id(seen: &Seen) -> u32 {
    seen.frames().into_iter().find_map(|(_, frame)| Some(frame.ok()?.boot_id)).unwrap()
}

/// Bit *n* = switch *n* of 96 is closed; any pattern will do that is not the same in two rows or columns.
fn pattern(number: usize) -> bool {
    (0x9e37_79b9_u32.wrapping_mul(number as u32 + 1) >> 13) & 1 == 1
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_computer_finds_a_serial_port_named_after_the_picos_number() {
    let seen = bench(&CLOCK).run(UP_US).unwrap();
    let name = |index: u8| {
        let asked = |setup: &[u8]| setup[..4] == [0x80, 6, index, 3];
        let (_, answer, _) = seen.requests.iter().find(|(setup, ..)| asked(setup)).unwrap();
        answer[2..].iter().step_by(2).map(|&letter| char::from(letter)).collect::<String>()
    };
    assert_eq!([1, 2, 3].map(name), ["Twinboard", "clock", "1a2b3c4d"]);
    let (last, ..) = seen.requests.last().unwrap();
    assert_eq!(last[..2], [0x21, 0x22], "the computer was answered to the end: {last:02x?}");
    assert_eq!(seen.requests.last().unwrap().2, 5, "at the address it was given");
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_board_says_who_it_is_and_tells_a_square_that_is_emptied_and_filled() {
    let closed = |bench: Bench, number| bench.set(0, number, 1);
    let set_up = (0..16).chain(48..64).fold(bench(&REED_MATRIX), closed);
    let seen = set_up.set(100_000, SQUARE, 0).set(150_000, 28, 1).run(200_000).unwrap();
    let hello = hello(&seen);
    assert_eq!(hello.node_id.as_str(), "board-1a2b3c4d");
    assert_eq!(hello.schema_hash, SCHEMA_HASH);
    let NodeKind::Board(kind) = hello.kind else { panic!("{:?}", hello.kind) };
    assert_eq!((kind.sensor, kind.trays), (SensorKind::Reed, true));
    let started = messages(&seen).into_iter().find_map(|message| match message {
        Message::Started(started) => Some(started.reason),
        _ => None,
    });
    assert_eq!(started, Some(StartReason::PowerOn));
    let NodeState::Board(state) = last_snapshot(&seen).state else { panic!("no board") };
    assert_eq!(state.occupied, 0xffff_0000_0000_ffff);
    let read = changes(&seen);
    assert_eq!(read, [(12, SensorReading::Empty), (28, SensorReading::Occupied)]);
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn every_one_of_ninety_six_switches_is_read_at_its_place() {
    let (mut squares, mut trays) = (0, [0, 0]);
    for number in (0..96).filter(|&number| pattern(number)) {
        match number {
            0..64 => squares |= 1_u64 << number,
            _ => trays[(number - 64) / 16] |= 1_u16 << (number % 16),
        }
    }
    for board in [REED_MATRIX, REED_SHIFT] {
        let close = |bench: Bench, number: usize| bench.set(0, number, u32::from(pattern(number)));
        let seen = (0..96).fold(bench(&board), close).run(UP_US).unwrap();
        let NodeState::Board(state) = last_snapshot(&seen).state else { panic!("no board") };
        assert_eq!(state.occupied, squares, "{}", board.image);
        assert_eq!([state.white_tray, state.black_tray], trays, "{}", board.image);
    }
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_board_without_trays_says_so_and_reads_none() {
    let strapped = bench(&REED_MATRIX).ground(reed_matrix::TRAY_STRAP);
    let seen = strapped.set(0, 64, 1).set(0, 0, 1).run(UP_US).unwrap();
    let NodeKind::Board(kind) = hello(&seen).kind else { panic!("no board") };
    assert!(!kind.trays);
    let NodeState::Board(state) = last_snapshot(&seen).state else { panic!("no board") };
    assert_eq!((state.occupied, state.white_tray), (1, 0));
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn what_the_hub_acknowledges_does_not_come_again_and_what_it_asks_for_does() {
    let changed = || bench(&REED_MATRIX).set(100_000, SQUARE, 1);
    let unheard = changed().run(700_000).unwrap();
    assert_eq!(changes(&unheard).len(), 2, "an event that nobody acknowledges is sent again");
    let boot_id = boot_id(&unheard);
    let ack = Frame { boot_id, sequence: 1, message: Message::Ack };
    let heard = changed().send(200_000, &ack).run(700_000).unwrap();
    assert_eq!(changes(&heard).len(), 1);
    let ask = Frame { boot_id: 0, sequence: 0, message: Message::RequestHello };
    let asked = changed().send(200_000, &ask).run(250_000).unwrap();
    let hellos = messages(&asked);
    let hellos = hellos.iter().filter(|message| matches!(message, Message::Hello(_)));
    assert_eq!(hellos.count(), 2);
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn with_its_strap_joined_to_ground_a_board_talks_over_the_uart() {
    let ask = Frame { boot_id: 0, sequence: 0, message: Message::RequestHello };
    let strapped = bench(&REED_MATRIX).ground(SERIAL_STRAP);
    let seen = strapped.set(40_000, SQUARE, 1).send(60_000, &ask).run(80_000).unwrap();
    assert_eq!(seen.requests, [], "USB stays silent");
    assert_eq!(hello(&seen).node_id.as_str(), "board-1a2b3c4d");
    assert!(changes(&seen).contains(&(12, SensorReading::Occupied)));
    let hellos = messages(&seen);
    let hellos = hellos.iter().filter(|message| matches!(message, Message::Hello(_)));
    assert_eq!(hellos.count(), 2);
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn hall_boards_tell_strength_or_pole_of_the_square_that_changed() {
    let weak_or_strong = |board: &Board| {
        let rest = bench(board).set(100_000, SQUARE, 2_748).set(200_000, 60, 1_248);
        changes(&rest.run(280_000).unwrap())
    };
    let [(12, SensorReading::Level(above)), (60, SensorReading::Level(below))] =
        weak_or_strong(&HALL)[..]
    else {
        panic!("two levels")
    };
    assert!(above > 0 && below < 0 && below.unsigned_abs() > above.unsigned_abs());
    let read = weak_or_strong(&HALL_POLARITY);
    let [(12, one), (60, other)] = read[..] else { panic!("{read:?}") };
    assert_eq!([one, other], [SensorReading::White, SensorReading::Black]);
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_clock_tells_a_press_of_its_lever_and_shows_its_times_in_characters() {
    let seen = (CLOCK_CHARACTERS.change)(bench(&CLOCK_CHARACTERS), 300_000, true);
    let seen = seen.run(400_000).unwrap();
    assert!(matches!(hello(&seen).kind, NodeKind::Clock(ClockKind { .. })));
    assert!(messages(&seen).iter().any(|message| matches!(message, Message::Press(_))));
    let shown = shown(&seen);
    assert_eq!(shown.matches("5:00").count(), 2, "{shown:?}");
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_clock_goes_on_while_its_displays_bus_is_held_low() {
    let bench = (CLOCK_CHARACTERS.wire)(bench_of(&CLOCK_CHARACTERS)).stuck_bus();
    let seen = (CLOCK_CHARACTERS.change)(bench, 100_000, true).run(150_000).unwrap();
    assert!(messages(&seen).iter().any(|message| matches!(message, Message::Press(_))));
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn each_image_drives_no_pin_but_those_that_the_build_guide_names() {
    let guide = include_str!("../../../../docs/hardware/pins.md");
    for board in BOARDS {
        let (_, tables) = guide.split_once(&format!("## `{}`", board.image)).unwrap();
        let table = tables.split("\n## ").next().unwrap();
        let drives = |gpio: u8| {
            let cell = format!("| GP{gpio} |");
            table.lines().any(|line| line.starts_with(&cell) && line.ends_with("| drives |"))
        };
        let watched = (0..=28).fold(bench(&board), Bench::watch);
        let seen = watched.run(WATCHED_US).unwrap();
        for edge in seen.edges.iter().filter(|edge| edge.level == Level::High) {
            // The regulator's mode, and the data line of USB for a millisecond, have no wire.
            let own = matches!(edge.gpio, 23..=25);
            assert!(own || drives(edge.gpio), "{} drives GP{} high", board.image, edge.gpio);
        }
    }
}

/// The characters that a display of four data lines behind a PCF8574 has taken, in their order.
fn shown(seen: &Seen) -> String {
    const SELECT: u8 = 0x01;
    const ENABLE: u8 = 0x04;
    let bytes = seen.writes.iter().flat_map(|(_, bytes)| bytes.iter().copied());
    let bytes: Vec<u8> = bytes.collect();
    // It takes half a byte when enable falls; the first three and the fourth wake it up and are no halves of anything.
    let falls = bytes.windows(2).filter(|pair| pair[0] & ENABLE != 0 && pair[1] & ENABLE == 0);
    let halves: Vec<u8> = falls.map(|pair| pair[0]).skip(4).collect();
    let pairs = halves.chunks_exact(2).filter(|pair| pair[0] & SELECT != 0);
    pairs.map(|pair| char::from(pair[0] & 0xf0 | pair[1] >> 4)).collect()
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn a_clock_shows_its_times_in_segments_on_lines_that_it_never_drives_high() {
    let white = (clock::WHITE_DISPLAY_CLOCK, clock::WHITE_DISPLAY_DATA);
    let black = (clock::BLACK_DISPLAY_CLOCK, clock::BLACK_DISPLAY_DATA);
    let pins = [white.0, white.1, black.0, black.1];
    let watched = pins.into_iter().fold(bench(&CLOCK), Bench::watch);
    let seen = watched.run(100_000).unwrap();
    let driven_high = seen.edges.iter().find(|edge| edge.level == Level::High);
    assert_eq!(driven_high, None, "the chip pulls data low to say that it has heard");
    for lines in [white, black] {
        let transfers = transfers(&seen, lines);
        let digits =
            transfers.iter().rev().find(|bytes| bytes.first() == Some(&0xc0)).expect("digits");
        // Dark, 5, 0, 0; the highest bit is a point, or the colon.
        let segments: Vec<u8> = digits[1..].iter().map(|digit| digit & 0x7f).collect();
        assert_eq!(segments, [0x00, 0x6d, 0x3f, 0x3f], "{transfers:02x?}");
    }
}

/// Transfers over a TM1637's clock and data line: the bytes between a start and a stop.
fn transfers(seen: &Seen, (clock, data): (u8, u8)) -> Vec<Vec<u8>> {
    let (mut clock_high, mut data_high) = (true, true);
    let (mut bits, mut transfers) = (None::<Vec<bool>>, Vec::new());
    for edge in &seen.edges {
        let high = edge.level != Level::Low;
        if edge.gpio == clock {
            clock_high = high;
            if let (true, Some(bits)) = (high, &mut bits) {
                bits.push(data_high);
            }
        } else if edge.gpio == data {
            data_high = high;
            match (clock_high, high) {
                (true, false) => bits = Some(Vec::new()),
                // The clock rose once more, for the stop.
                (true, true) => transfers.extend(bits.take().map(|bits| bytes(&bits))),
                (false, _) => {}
            }
        }
    }
    transfers
}

/// Eight bits, the lowest first, and a ninth in which the chip acknowledges.
fn bytes(bits: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| (0..8).fold(0, |byte, place| byte | u8::from(bits[place]) << place);
    bits.chunks_exact(9).map(byte).collect()
}

#[test]
#[ignore = "needs the images and Node.js: cargo xtask test pico"]
fn every_image_keeps_its_beat_its_promise_and_its_stack() {
    for board in BOARDS {
        let figures = measure(&board).unwrap();
        println!("{}: {figures:?}", board.image);
        assert!(figures.longest_scan_us <= SCAN_MAX_US, "{}: {figures:?}", board.image);
        let slowest_us = f64::from(board.debounce_us) + SLOWNESS_MAX_US;
        assert!(figures.slowest_change_us <= slowest_us, "{}: {figures:?}", board.image);
        assert!(figures.stack_bytes < STACK_BYTES, "{}: {figures:?}", board.image);
        assert_eq!(figures.scans > 0, board.scan.is_some(), "{}: {figures:?}", board.image);
    }
}
