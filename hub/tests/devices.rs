//! Whole matches through simulated devices of other makers and their drivers, in virtual time.
//!
//! Hands are the ideal ones of the simulation: what a device with a scan of a quarter of a second cannot see is not what is
//! asked here.

#[path = "support/devices.rs"]
mod devices;

use devices::{
    BEGIN_US, Line, clocks, corpus_game, ideal, infer, listen, of_board, own_game, own_nodes,
    quiet, script, trace, truth, world,
};
use hub::drivers::certabo::rfid::{CertaboSettings, TagBook};
use hub::drivers::chesslink::ChessLinkSettings;
use hub::drivers::dgt::DgtSettings;
use hub::drivers::dgt::clock::{ClockSettings, ClockSide};
use hub::drivers::{DriverSettings, Unit};
use inference::record::{BoardHeader, ReadingKind, SensorKind};
use rules::BoardId;
use rules::bpgn::BpgnGame;
use sim::devices::{
    Certabo, ChessLink, Conventions, Dgt, DgtBus, DgtQuirks, Sentio, SerialDevice, TagPool,
};
use sim::{Players, Script};

type Boards = [Vec<(u64, ReadingKind)>; 2];

/// What the hub says of boards with these drivers.
fn header(settings: &DriverSettings) -> BoardHeader {
    BoardHeader {
        clock_resolution_ms: settings.clock_resolution_ms(),
        scan_ms: settings.scan_ms(),
        ..BoardHeader::new(settings.sensor().unwrap_or(SensorKind::Reed))
    }
}

fn dgt_header() -> BoardHeader {
    header(&DriverSettings::Dgt(dgt_settings(Conventions::default())))
}

/// Both games: ours, and a real one where the collection is.
fn games() -> Vec<BpgnGame> {
    std::iter::once(own_game()).chain(corpus_game()).collect()
}

/// A board on a line of its own.
fn alone(
    device: &mut dyn SerialDevice,
    settings: &DriverSettings,
    book: &TagBook,
    script: &Script,
    line: Line<'_>,
) -> Vec<(u64, ReadingKind)> {
    let settings = std::slice::from_ref(settings);
    listen(device, settings, book, BEGIN_US + script.end_us, line)
        .remove(&Unit::ONLY)
        .unwrap_or_default()
}

fn dgt_settings(conventions: Conventions) -> DgtSettings {
    let side = |left| if left { ClockSide::Left } else { ClockSide::Right };
    DgtSettings {
        clock: true,
        clock_settings: ClockSettings {
            white: side(conventions.white_left),
            first_time: side(conventions.left_first),
            low_turn_bit: side(conventions.left_turn_low),
        },
        reversed: None,
    }
}

fn dgt(script: &Script, conventions: Conventions, line: Line<'_>) -> Boards {
    let settings = DriverSettings::Dgt(dgt_settings(conventions));
    BoardId::ALL.map(|board| {
        let seed = 7 + board.index() as u64;
        let world = world(script, board);
        let mut device = Dgt::new(world, *b"24681", conventions, DgtQuirks::default(), seed);
        alone(&mut device, &settings, &TagBook::default(), script, line)
    })
}

fn dgt_bus(script: &Script, line: Line<'_>) -> Boards {
    let conventions = Conventions::default();
    let boards = vec![(300, world(script, BoardId::A)), (5, world(script, BoardId::B))];
    let mut device = DgtBus::new(boards, conventions, DgtQuirks::default(), 7);
    let settings =
        [300, 5].map(|address| DriverSettings::DgtBus(address, dgt_settings(conventions)));
    let end_us = BEGIN_US + script.end_us;
    let mut heard = listen(&mut device, &settings, &TagBook::default(), end_us, line);
    [300, 5].map(|address| heard.remove(&Unit(address)).unwrap_or_default())
}

/// Boards without a clock of their own, with our clock nodes beside them.
fn with_own_clocks(
    game: &BpgnGame,
    players: &Players,
    mut board: impl FnMut(BoardId) -> Vec<(u64, ReadingKind)>,
) -> Boards {
    let own = own_nodes(game, players, SensorKind::PieceId, 1);
    BoardId::ALL.map(|id| {
        let mut readings = board(id);
        readings.extend(clocks(&own, id));
        readings.sort_by_key(|(t_us, _)| *t_us);
        readings
    })
}

fn chesslink(game: &BpgnGame, players: &Players, script: &Script, lie: (bool, bool)) -> Boards {
    with_own_clocks(game, players, |board| {
        let mut device = ChessLink::new(world(script, board), lie.0, lie.1);
        let settings = DriverSettings::ChessLink(ChessLinkSettings::default());
        alone(&mut device, &settings, &TagBook::default(), script, &mut quiet)
    })
}

fn certabo(game: &BpgnGame, players: &Players, script: &Script) -> Boards {
    let (pool, book) = (TagPool::default(), TagBook::default());
    // Both boards are there before the match: each learns its own set.
    let mut devices =
        BoardId::ALL.map(|board| Certabo::new(world(script, board), false, pool.clone()));
    let settings = DriverSettings::Certabo(CertaboSettings::default());
    for device in &mut devices {
        listen(device, std::slice::from_ref(&settings), &book, BEGIN_US / 2, &mut quiet);
    }
    let [mut a, mut b] = devices;
    with_own_clocks(game, players, |board| {
        let device = if board == BoardId::A { &mut a } else { &mut b };
        alone(device, &settings, &book, script, &mut quiet)
    })
}

fn sentio(game: &BpgnGame, players: &Players, script: &Script) -> Boards {
    with_own_clocks(game, players, |board| {
        let mut device = Sentio::new(world(script, board));
        let settings = DriverSettings::Sentio { reversed: false };
        alone(&mut device, &settings, &TagBook::default(), script, &mut quiet)
    })
}

/// The record through a device is that through our own nodes with the same kind of sensor; and the device adds no anomaly.
fn assert_as_through_our_own_nodes(
    game: &BpgnGame,
    script: &Script,
    boards: Boards,
    header: BoardHeader,
) {
    let own = own_nodes(game, &ideal(), header.sensor, 1);
    let (own, own_codes) = infer(&own.header, &own.readings);
    let (header, readings) = trace(script, boards, header);
    let (found, codes) = infer(&header, &readings);
    for board in BoardId::ALL {
        assert_eq!(of_board(&found, board), of_board(&own, board), "board {board}");
    }
    assert_eq!(codes, own_codes, "anomalies");
}

#[test]
fn a_match_at_two_dgt_boards_is_recorded_as_through_our_own_nodes() {
    for game in games() {
        let script = script(&game, &ideal(), 1, "m");
        let boards = dgt(&script, Conventions::default(), &mut quiet);
        assert_as_through_our_own_nodes(&game, &script, boards, dgt_header());
    }
}

#[test]
fn every_convention_of_clock_and_board_is_read_the_same() {
    let script = script(&own_game(), &ideal(), 1, "m");
    let truth = truth(&script);
    for bits in 0..16 {
        let conventions = Conventions {
            left_first: bits & 1 != 0,
            left_turn_low: bits & 2 != 0,
            white_left: bits & 4 != 0,
            reversed: bits & 8 != 0,
        };
        let boards = dgt(&script, conventions, &mut quiet);
        // The first presses and times are enough: they would be the other player's.
        let presses =
            boards[0].iter().filter(|(_, kind)| matches!(kind, ReadingKind::Press { .. }));
        let first: Vec<_> = presses.take(2).map(|(_, kind)| kind.clone()).collect();
        assert_eq!(
            first,
            [rules::Color::Black, rules::Color::White].map(|by| ReadingKind::Press { by }),
            "{conventions:?}"
        );
        if [0, 9, 15].contains(&bits) {
            let (header, readings) = trace(&script, boards, dgt_header());
            let (found, _) = infer(&header, &readings);
            for board in BoardId::ALL {
                assert_eq!(of_board(&found, board), of_board(&truth, board), "{conventions:?}");
            }
        }
    }
}

#[test]
fn a_match_at_two_dgt_boards_on_a_bus_is_recorded_as_through_our_own_nodes() {
    for game in games() {
        let script = script(&game, &ideal(), 1, "m");
        let boards = dgt_bus(&script, &mut quiet);
        assert_as_through_our_own_nodes(&game, &script, boards, dgt_header());
    }
}

#[test]
fn a_match_at_chesslink_boards_is_recorded_as_through_our_own_nodes() {
    let header = header(&DriverSettings::ChessLink(ChessLinkSettings::default()));
    for (game, lie) in games().into_iter().zip([(false, true), (true, false)]) {
        let script = script(&game, &ideal(), 1, "m");
        let boards = chesslink(&game, &ideal(), &script, lie);
        assert_as_through_our_own_nodes(&game, &script, boards, header.clone());
    }
}

#[test]
fn a_match_at_certabo_boards_is_recorded_as_through_our_own_nodes() {
    for game in games() {
        let script = script(&game, &ideal(), 1, "m");
        let boards = certabo(&game, &ideal(), &script);
        let header = header(&DriverSettings::Certabo(CertaboSettings::default()));
        assert_as_through_our_own_nodes(&game, &script, boards, header);
    }
}

#[test]
fn a_match_at_sentio_boards_is_recorded_as_through_our_own_nodes() {
    for game in games() {
        let script = script(&game, &ideal(), 1, "m");
        let boards = sentio(&game, &ideal(), &script);
        let header = header(&DriverSettings::Sentio { reversed: false });
        assert_as_through_our_own_nodes(&game, &script, boards, header);
    }
}

/// A line that garbles, loses or doubles one byte in `one_in`.
fn noisy(one_in: u32, seed: u64) -> impl FnMut(Vec<u8>) -> Vec<u8> {
    let mut state = seed;
    move |bytes| {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let draw = (state >> 33) as u32;
            if !draw.is_multiple_of(one_in) {
                out.push(byte);
                continue;
            }
            match draw / one_in % 3 {
                0 => {}
                1 => out.extend([byte, byte]),
                _ => out.push(byte ^ (1 << (draw / one_in / 3 % 8))),
            }
        }
        out
    }
}

#[test]
fn a_bad_line_to_a_board_on_a_bus_costs_no_ply() {
    let script = script(&own_game(), &ideal(), 1, "m");
    let truth = truth(&script);
    for seed in 1..=3 {
        let boards = dgt_bus(&script, &mut noisy(2_000, seed));
        let (header, readings) = trace(&script, boards, dgt_header());
        let (found, _) = infer(&header, &readings);
        for board in BoardId::ALL {
            assert_eq!(of_board(&found, board), of_board(&truth, board), "seed {seed}");
        }
    }
}

#[test]
fn a_bad_line_to_a_dgt_board_costs_at_most_a_few_plies_and_ends_with_the_right_squares() {
    let script = script(&own_game(), &ideal(), 1, "m");
    let truth = truth(&script);
    for seed in 1..=3 {
        let boards = dgt(&script, Conventions::default(), &mut noisy(5_000, seed));
        let (header, readings) = trace(&script, boards, dgt_header());
        let (found, _) = infer(&header, &readings);
        for board in BoardId::ALL {
            let (found, truth) = (of_board(&found, board), of_board(&truth, board));
            let same = found.split(' ').zip(truth.split(' ')).filter(|(a, b)| a == b).count();
            let all = truth.split(' ').count();
            assert!(same * 10 >= all * 9, "seed {seed}: {same} of {all}\n{found}\n{truth}");
        }
        for board in BoardId::ALL {
            let end = |game: &BpgnGame| {
                let end = game.final_match().unwrap();
                let piece = |square| end.position(board).piece_at(square);
                rules::Square::ALL.into_iter().filter(|&square| piece(square).is_some()).count()
            };
            assert_eq!(end(&found), end(&truth), "seed {seed}, board {board}");
        }
    }
}
