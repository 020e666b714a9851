//! A match at boards of other makers gives the same BPGN as at our own: from the device's bytes, on a line of its speed,
//! through the driver, the hub's session, and the adjudicator's writer.
//!
//! Boards with our own clock nodes beside them give the same BPGN to the last byte. A DGT clock sends whole seconds, and sends them,
//! like a press, when the board was scanned or polled. Its record has our clock times cut to whole seconds. Two plies of different
//! boards may be exchanged if they were completed closer together than the board distinguishes. Everything else is equal to the last
//! byte there too.
//!
//! Hands are the ideal ones of the simulation. The example `boards` of `hub` measures the records of club players' hands.

#[path = "../hub/tests/support/bench.rs"]
mod bench;
#[path = "../hub/tests/support/devices.rs"]
mod devices;
#[path = "../hub/tests/support/records.rs"]
mod records;
#[path = "../hub/tests/support/tables.rs"]
mod tables;

use adjudicator::{
    hall::Hall,
    log::input::{Input, InputKind},
    views::{
        read_view::Shown,
        records::{Format, Reader, write_match},
    },
};
use devices::{corpus_game, ideal, own_game, own_nodes, script};
use hub::config::TableConfig;
use proto::mqtt::message::Row;
use readings::TruthLine;
use records::{HUB, Record, record};
use rules::BoardId;
use rules::bpgn::BpgnGame;
use sim::Script;
use sim::devices::Conventions;
use tables::{Kind, Placed, bench, end_us, heard, of_own_nodes, own_table, table_of};

/// Maximum delay with which a DGT board reports a press, alone or on a bus with another.
const PRESS_LATE_US: u64 = 500_000;

/// The adjudicator's record of a match whose rows it receives. The match's id, which contains the time of its opening, is left out.
fn bpgn(table: &TableConfig, record: &Record) -> String {
    let config = adjudicator::Config::default();
    let mut hall = Hall::new(&config);
    for (id, row) in (1..).zip(&record.rows) {
        let at_us = row.at.as_micros();
        let row = Row {
            sequence: id,
            hub_time_us: at_us,
            table: table.name.clone(),
            event: Some(row.event.clone()),
        };
        adjudicator::owner::decode::apply(
            &mut hall,
            &Input {
                id,
                received_ms: at_us / 1_000,
                kind: InputKind::Row,
                hub: Some(HUB.to_owned()),
                match_id: None,
                payload: prost::Message::encode_to_vec(&row),
            },
        );
    }
    assert_eq!(hall.refused(), 0, "rows that the adjudicator refused");
    let game = hall.game(&record.match_id).expect("the match was reported");
    write_match(&config, Shown::on_floor(&hall, game), Format::Bpgn, Reader::Organiser)
        .replace(&record.match_id, "m")
}

fn read(bpgn: &str) -> BpgnGame {
    rules::bpgn::read(bpgn.as_bytes()).remove(0).unwrap()
}

/// Times at which each board's plies were completed, microseconds of the match.
fn completed_us(script: &Script) -> [Vec<u64>; 2] {
    BoardId::ALL.map(|board| {
        let of_board = |line: &TruthLine| match line {
            TruthLine::Ply(ply) if ply.board == board => Some(ply.t_us),
            _ => None,
        };
        script.truth.iter().filter_map(of_board).collect()
    })
}

/// Our record as a DGT board would tell it: with whole seconds, and the two boards' plies in the order in which `found` has
/// them. Plies that this exchanges must have been completed less than [`PRESS_LATE_US`] apart.
fn as_told_by_dgt(own: &str, found: &str, script: &Script) -> String {
    let (mut own, found) = (read(own), read(found));
    let mut plies = BoardId::ALL.map(|board| {
        let of_board = own.plies.iter().filter(|ply| ply.board == board);
        of_board.cloned().collect::<Vec<_>>().into_iter()
    });
    own.plies = found.plies.iter().filter_map(|ply| plies[ply.board.index()].next()).collect();
    own.plies.extend(plies.into_iter().flatten());
    for ply in &mut own.plies {
        ply.clock_ms = ply.clock_ms.map(|ms| ms / 1_000 * 1_000);
    }
    let mut completed = completed_us(script).map(Vec::into_iter);
    let mut latest_us = [0; 2];
    for (index, ply) in found.plies.iter().enumerate() {
        let Some(at_us) = completed[ply.board.index()].next() else { break };
        latest_us[ply.board.index()] = at_us;
        let before_us = latest_us[ply.board.other().index()];
        assert!(
            before_us < at_us + PRESS_LATE_US,
            "ply {index}, {ply:?}: {before_us} is before {at_us}"
        );
    }
    rules::bpgn::write(&own)
}

/// Plays both matches at two boards of a kind and compares.
fn assert_same_bpgn(kind: Kind, placed: Placed) {
    for game in std::iter::once(own_game()).chain(corpus_game()) {
        let script = script(&game, &ideal(), 1, "m");
        let own = own_nodes(&game, &ideal(), kind.sensor(), 1);
        let mut bench = bench(kind, &script, placed, || None);
        bench.run_until(end_us(&script));
        let (table, own_table) =
            (table_of(kind, script.base_s, placed), own_table(kind.sensor(), script.base_s));
        let found = record(&table, &heard(kind, bench, &own));
        let expected = record(&own_table, &of_own_nodes(&own));
        assert_eq!(
            devices::codes(&found.inferred()),
            devices::codes(&expected.inferred()),
            "anomalies"
        );
        let (found, mut expected) = (bpgn(&table, &found), bpgn(&own_table, &expected));
        if kind.brings_clocks() {
            expected = as_told_by_dgt(&expected, &found, &script);
        }
        let differ: Vec<_> = found
            .split_whitespace()
            .zip(expected.split_whitespace())
            .filter(|(found, expected)| found != expected)
            .collect();
        assert_eq!(found, expected, "{kind:?}: {differ:?}");
    }
}

#[test]
fn two_dgt_boards_give_the_bpgn_of_our_own_in_whole_seconds() {
    assert_same_bpgn(Kind::Dgt, Placed::default());
}

#[test]
fn two_dgt_boards_on_a_bus_give_the_bpgn_of_our_own_in_whole_seconds() {
    assert_same_bpgn(Kind::DgtBus, Placed::default());
}

#[test]
fn dgt_boards_that_lie_the_other_way_round_and_speak_by_other_conventions_give_the_same_bpgn() {
    let conventions =
        Conventions { left_first: true, left_turn_low: true, white_left: false, reversed: true };
    for kind in [Kind::Dgt, Kind::DgtBus] {
        assert_same_bpgn(kind, Placed { conventions, ..Placed::default() });
    }
}

#[test]
fn chesslink_boards_give_the_bpgn_of_our_own_to_the_last_byte() {
    assert_same_bpgn(Kind::ChessLink, Placed::default());
    assert_same_bpgn(
        Kind::ChessLink,
        Placed { reversed: true, h_file_first: true, ..Placed::default() },
    );
}

#[test]
fn chessnut_boards_give_the_bpgn_of_our_own_to_the_last_byte() {
    for reversed in [false, true] {
        assert_same_bpgn(Kind::Chessnut, Placed { reversed, ..Placed::default() });
    }
}

#[test]
fn certabo_boards_give_the_bpgn_of_our_own_to_the_last_byte() {
    assert_same_bpgn(Kind::Certabo, Placed::default());
}

#[test]
fn sentio_boards_give_the_bpgn_of_our_own_reed_boards_to_the_last_byte() {
    assert_same_bpgn(Kind::Sentio, Placed::default());
}
