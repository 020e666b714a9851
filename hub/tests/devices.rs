//! Matches through simulated devices of other makers and their drivers, in virtual time, when something is not as usual: how the
//! boards lie, bytes that the line damages, plugs that are pulled, a hub that is killed.
//!
//! Hands are the ideal ones of the simulation. That a match in which nothing happens gives the same record as through our
//! own nodes, to the byte, is tested where the adjudicator is (`tests/boards.rs` of the workspace).

#[path = "support/bench.rs"]
mod bench;
#[path = "support/devices.rs"]
mod devices;
#[path = "support/records.rs"]
mod records;
#[path = "support/tables.rs"]
mod tables;

use bench::{Bench, Noise};
use devices::{
    corpus_game, ideal, longest_pause, of_board, own_game, own_nodes, plies, script, truth,
};
use readings::ReadingKind;
use records::record;
use rules::BoardId;
use rules::bpgn::BpgnGame;
use sim::Script;
use sim::devices::{BusManners, Conventions};
use tables::{BEGIN_US, Kind, Placed, bench, end_us, heard, table_of};

/// What is recorded of a match at two boards of a kind to which `happens`.
fn recorded(
    game: &BpgnGame,
    script: &Script,
    kind: Kind,
    placed: Placed,
    noise: impl FnMut() -> Option<Noise>,
    happens: impl FnOnce(&mut Bench),
) -> BpgnGame {
    let own = own_nodes(game, &ideal(), kind.sensor(), 1);
    let mut bench = bench(kind, script, placed, noise);
    happens(&mut bench);
    bench.run_until(end_us(script));
    let found = record(&table_of(kind, script.base_s, placed), &heard(kind, bench, &own));
    plies(&found.inferred())
}

/// Plies as a kind of board can tell them: one that does not know its pieces cannot tell which piece was dropped.
fn told(kind: Kind, plies: &str) -> String {
    let word = |ply: &str| match ply.split_once('@') {
        Some((_, to)) if kind == Kind::Sentio => format!("@{to}"),
        _ => ply.to_owned(),
    };
    plies.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_convention_of_clock_and_board_is_read_the_same() {
    let game = own_game();
    let script = script(&game, &ideal(), 1, "m");
    for bits in 0..16 {
        let conventions = Conventions {
            left_first: bits & 1 != 0,
            left_turn_low: bits & 2 != 0,
            white_left: bits & 4 != 0,
            reversed: bits & 8 != 0,
        };
        let placed = Placed { conventions, ..Placed::default() };
        let mut bench = bench(Kind::Dgt, &script, placed, || None);
        bench.run_until(BEGIN_US + 60_000_000);
        // The first presses are enough: they would be the other player's.
        let presses = bench.into_readings().into_iter().filter(|(_, board, kind)| {
            *board == BoardId::A && matches!(kind, ReadingKind::Press { .. })
        });
        let first: Vec<_> = presses.take(2).map(|(_, _, kind)| kind).collect();
        assert_eq!(
            first,
            [rules::Color::Black, rules::Color::White].map(|by| ReadingKind::Press { by }),
            "{conventions:?}"
        );
    }
}

/// A line that garbles, loses or doubles one byte in `one_in`.
fn noisy(one_in: u32, seed: u64) -> Noise {
    let mut state = seed;
    Box::new(move |bytes| {
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
    })
}

#[test]
fn a_bad_line_to_a_board_on_a_bus_costs_no_ply() {
    let game = own_game();
    let script = script(&game, &ideal(), 1, "m");
    let truth = truth(&script);
    for seed in 1..=3 {
        let noise = || Some(noisy(2_000, seed));
        let found = recorded(&game, &script, Kind::DgtBus, Placed::default(), noise, |_| ());
        for board in BoardId::ALL {
            assert_eq!(of_board(&found, board), of_board(&truth, board), "seed {seed}");
        }
    }
}

/// Plays a match at two boards of a kind, and compares with what was played.
fn assert_right(kind: Kind, placed: Placed, what: &str) {
    let game = own_game();
    let script = script(&game, &ideal(), 1, "m");
    let truth = truth(&script);
    let found = recorded(&game, &script, kind, placed, || None, |_| ());
    for board in BoardId::ALL {
        assert_eq!(of_board(&found, board), of_board(&truth, board), "{what}, board {board}");
    }
}

#[test]
fn each_release_of_boards_on_a_bus_gives_every_ply() {
    let plain = BusManners::default();
    for (what, manners) in [
        ("changes that end with a mark", BusManners { ends_with_mark: true, ..plain }),
        ("tags among the changes", BusManners { tags: true, ..plain }),
        ("two types of changes", BusManners { alternates: true, ..plain }),
        ("an empty version", BusManners { version: &[], ..plain }),
        ("presses that are not noted", BusManners { skipped_presses: 0.3, ..plain }),
        ("lost questions", BusManners { lost_questions: 0.05, ..plain }),
        (
            "all of it",
            BusManners {
                ends_with_mark: true,
                tags: true,
                alternates: true,
                skipped_presses: 0.1,
                lost_questions: 0.02,
                version: &[2, 0, 13],
            },
        ),
    ] {
        assert_right(Kind::DgtBus, Placed { manners, ..Placed::default() }, what);
    }
}

#[test]
fn presses_on_a_bus_are_each_told_once_although_questions_are_lost() {
    let game = own_game();
    let script = script(&game, &ideal(), 1, "m");
    let presses = |lost_questions: f64, skipped_presses: f64| {
        let manners = BusManners { lost_questions, skipped_presses, ..BusManners::default() };
        let mut bench =
            bench(Kind::DgtBus, &script, Placed { manners, ..Placed::default() }, || None);
        bench.run_until(end_us(&script));
        let readings = bench.into_readings().into_iter();
        readings.filter(|(_, _, kind)| matches!(kind, ReadingKind::Press { .. })).count()
    };
    let made = presses(0.0, 0.0);
    for (lost_questions, skipped_presses) in [(0.05, 0.0), (0.1, 0.0), (0.0, 0.3)] {
        let told = presses(lost_questions, skipped_presses);
        assert!(told <= made, "{told} presses of {made}, {lost_questions} of the questions lost");
        // Two presses within a second leave the lever where it was.
        assert!(told * 100 >= made * 90, "{told} presses of {made}, {skipped_presses} not noted");
    }
}

#[test]
fn boards_as_their_makers_sell_them_give_every_ply() {
    for kind in [Kind::Certabo, Kind::ChessLink, Kind::Chessnut] {
        let placed = Placed { as_bought: true, ..Placed::default() };
        assert_right(kind, placed, &format!("{kind:?}"));
    }
}

#[test]
fn a_bad_line_to_a_dgt_board_costs_at_most_a_few_plies_and_ends_with_the_right_squares() {
    let game = own_game();
    let script = script(&game, &ideal(), 1, "m");
    let truth = truth(&script);
    for seed in 1..=3 {
        let mut line = seed;
        let noise = || {
            line += 10;
            Some(noisy(5_000, line))
        };
        let found = recorded(&game, &script, Kind::Dgt, Placed::default(), noise, |_| ());
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

/// Plays a match at each kind of boards, lets something happen while board A's player thinks, and compares with what was played.
fn assert_right_although(happens: impl Fn(&mut Bench, Kind, u64, u64)) {
    let game = corpus_game().unwrap_or_else(own_game);
    let script = script(&game, &ideal(), 1, "m");
    let truth = truth(&script);
    let (from_us, pause_us) = longest_pause(&script, BoardId::A);
    for kind in Kind::ALL {
        // The others must lie as they were calibrated, or as the configuration says.
        let reversed = !matches!(kind, Kind::Certabo | Kind::Sentio);
        let conventions = Conventions { reversed, ..Conventions::default() };
        let placed = Placed { conventions, reversed, h_file_first: true, ..Placed::default() };
        let found = recorded(
            &game,
            &script,
            kind,
            placed,
            || None,
            |bench| {
                happens(bench, kind, BEGIN_US + from_us + pause_us / 8, pause_us / 4);
            },
        );
        for board in BoardId::ALL {
            let (found, truth) = (of_board(&found, board), of_board(&truth, board));
            assert_eq!(told(kind, &found), told(kind, &truth), "{kind:?}, board {board}");
        }
    }
}

#[test]
fn a_board_of_any_maker_that_is_unplugged_in_mid_match_and_plugged_in_again_ends_with_the_right_record()
 {
    assert_right_although(|bench, kind, at_us, for_us| {
        // On a bus both boards lose their line: only as long as nothing is played at either.
        let for_us = if kind == Kind::DgtBus { for_us.min(100_000) } else { for_us };
        bench.run_until(at_us);
        bench.pull(0);
        bench.run_until(at_us + for_us);
        bench.plug_in(0);
    });
}

#[test]
fn a_hub_that_is_killed_in_mid_match_still_knows_how_boards_of_any_maker_lie() {
    assert_right_although(|bench, _, at_us, _| {
        bench.run_until(at_us);
        bench.restart_hub();
    });
}
