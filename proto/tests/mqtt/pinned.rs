//! Pins the bytes of every message: field numbers and enum values are frozen.

use std::fmt::Write as _;

use prost::Message as _;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{Ack, AdjudicatorState, Command, HubState, Identify, Row, command};

use crate::rows::{of_chess, of_orders, one_of_each};

fn line(name: &str, bytes: &[u8]) -> String {
    bytes.iter().fold(format!("{name}:"), |mut line, byte| {
        write!(line, " {byte:02x}").unwrap();
        line
    })
}

fn bytes_of_rows(events: Vec<Event>) -> String {
    let line_of = |event: Event| {
        let debug = format!("{event:?}");
        let name = debug.split('(').next().unwrap().to_owned();
        let row = Row { sequence: 1, hub_time_us: 2, table: "t".into(), event: Some(event) };
        line(&name, &row.encode_to_vec())
    };
    events.into_iter().map(line_of).collect::<Vec<_>>().join("\n")
}

#[test]
fn bytes_of_every_row_are_frozen() {
    insta::assert_snapshot!(bytes_of_rows(one_of_each()));
}

#[test]
fn bytes_of_a_chess_game_are_frozen() {
    insta::assert_snapshot!(bytes_of_rows(of_chess()));
}

#[test]
fn bytes_of_answers_to_orders_are_frozen() {
    insta::assert_snapshot!(bytes_of_rows(of_orders()));
}

#[test]
fn bytes_of_the_small_messages_are_frozen() {
    // As adjudicators wrote it that had no id of their store.
    let ack = Ack { hub_id: "h".into(), boot_id: 300, sequence: 5, store_id: String::new() };
    let ack_of_store = Ack { store_id: "s".into(), ..ack.clone() };
    let hub = HubState {
        hub_id: "h".into(),
        boot_id: 300,
        online: true,
        version: "0.1.0".into(),
        tables: vec!["1".into(), "2".into()],
        // Hubs of the first release do not report their faults.
        troubles: Vec::new(),
        update_ended: 0,
        ..HubState::default()
    };
    let troubled = HubState { troubles: vec!["d".into()], ..hub.clone() };
    let adjudicator = AdjudicatorState { online: true, since_us: 6, rehearsal: None };
    let identify = Identify { node_id: "n".into(), seconds: 10 };
    let command = Command { command: Some(command::Command::Identify(identify)) };
    let lines = [
        line("Ack", &ack.encode_to_vec()),
        line("HubState", &hub.encode_to_vec()),
        line("AdjudicatorState", &adjudicator.encode_to_vec()),
        line("Command", &command.encode_to_vec()),
        line("Ack of a store", &ack_of_store.encode_to_vec()),
        line("HubState with a trouble", &troubled.encode_to_vec()),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}
