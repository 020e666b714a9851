//! Deadlines of referees: the matches that have one, and its end with its cause.

use prost::Message as _;
use proto::mqtt::message::{
    Board, BoardSetup, MatchOpened, MatchState, MatchStateChanged, PlyReported, Row, Side, Stage,
    row::Event,
};

use super::Hall;
use crate::{
    config::Config,
    log::input::{Input, InputKind},
};

const BEGAN_US: u64 = 1_780_000_000_000_000;

fn row(id: u64, event: Event) -> Input {
    let hub_time_us = BEGAN_US + id * 1_000_000;
    let row = Row { sequence: id, hub_time_us, table: "1".to_owned(), event: Some(event) };
    Input {
        id,
        received_ms: hub_time_us / 1_000,
        kind: InputKind::Row,
        hub: Some("north".to_owned()),
        match_id: Some("m1".to_owned()),
        payload: row.encode_to_vec(),
    }
}

fn ply(number: u32, uci: &str) -> Event {
    Event::PlyReported(PlyReported {
        match_id: "m1".to_owned(),
        ply_id: number,
        stage: Stage::Live as i32,
        board: Board::A as i32,
        side: if number.is_multiple_of(2) { Side::White } else { Side::Black } as i32,
        t_us: u64::from(number + 1) * 1_000_000,
        uci: uci.to_owned(),
        p: 0.99,
        legal: true,
        ..PlyReported::default()
    })
}

/// A hall after an unconfirmed mate.
fn hall_after_mate() -> (Hall, u64) {
    let board = |board: Board| BoardSetup { board: board as i32, sensor: "reed".to_owned() };
    let opened = MatchOpened {
        match_id: "m1".to_owned(),
        rulebook: "us-chess-bughouse-2018".to_owned(),
        base_ms: 300_000,
        boards: vec![board(Board::A), board(Board::B)],
        ..MatchOpened::default()
    };
    let state = MatchState::Playing as i32;
    let playing = MatchStateChanged { match_id: "m1".to_owned(), state, t_us: 0 };
    let plies = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"];
    let plies = (0..).zip(plies).map(|(number, uci)| ply(number, uci));
    let events = [Event::MatchOpened(opened), Event::MatchStateChanged(playing)];
    let mut hall = Hall::new(&Config::default());
    let mut id = 0;
    for event in events.into_iter().chain(plies) {
        id += 1;
        crate::owner::decode::apply(&mut hall, &row(id, event));
    }
    assert_eq!(hall.refused(), 0);
    (hall, id)
}

#[test]
fn a_proposed_result_has_a_deadline_until_it_has_passed() {
    let (mut hall, last) = hall_after_mate();
    let deadlines = hall.deadlines(1.0);
    assert_eq!(deadlines.len(), 1, "{deadlines:?}");
    let payload = deadlines[0].t_us.to_string().into_bytes();
    let id = last + 1;
    let deadline = Input { kind: InputKind::Deadline, hub: None, payload, ..row(id, ply(9, "")) };
    crate::owner::decode::apply(&mut hall, &deadline);
    assert_eq!(hall.deadlines(1.0), []);
}

#[test]
fn a_match_at_which_judging_failed_has_no_deadline() {
    let (mut hall, last) = hall_after_mate();
    let next = row(last + 1, ply(7, "e8e7"));
    assert_eq!(hall.guarded(&next, |_| panic!("planted")), Ok(()));
    assert_eq!(hall.deadlines(1.0), []);
}
