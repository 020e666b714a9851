//! Tests of the work quota: the cost of a hub's rows is counted for that hub alone.

use prost::Message as _;
use proto::mqtt::message::{
    Board, BoardSetup, MatchOpened, PlyReported, Row, Side, Stage, row::Event,
};

use super::*;
use crate::{
    config::Config,
    hall::Hall,
    log::input::{Input as LogInput, InputKind},
};

/// Remaining share of a match.
const NEARLY: u64 = 20_000_000;

/// A hall and its rows.
struct Told {
    hall: Hall,
    input: u64,
}

impl Told {
    fn new() -> Told {
        Told { hall: Hall::new(&Config::default()), input: 0 }
    }

    fn row(&mut self, hub: &str, table: &str, event: Event) {
        self.input += 1;
        let hub_time_us = 1_700_000_000_000_000 + self.input * 1_000_000;
        let (sequence, table) = (self.input, table.to_owned());
        let row = Row { sequence, hub_time_us, table, event: Some(event) };
        crate::owner::decode::apply(
            &mut self.hall,
            &LogInput {
                id: self.input,
                received_ms: hub_time_us / 1000,
                kind: InputKind::Row,
                hub: Some(hub.to_owned()),
                match_id: None,
                payload: row.encode_to_vec(),
            },
        );
    }

    fn opened(&mut self, hub: &str, table: &str, match_id: &str) {
        let board = |board: Board| BoardSetup { board: board as i32, sensor: "reed".to_owned() };
        let opened = MatchOpened {
            match_id: match_id.to_owned(),
            rulebook: "us-chess-bughouse-2018".to_owned(),
            base_ms: 300_000,
            boards: vec![board(Board::A), board(Board::B)],
            ..MatchOpened::default()
        };
        self.row(hub, table, Event::MatchOpened(opened));
    }

    fn ply(&mut self, hub: &str, (table, match_id): (&str, &str), id: u32, revision: u32) {
        const ROUND: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];
        let uci = match revision % 2 {
            0 => ROUND[id as usize % ROUND.len()],
            _ => "b1c3",
        };
        let side = if id.is_multiple_of(2) { Side::White } else { Side::Black };
        let reported = PlyReported {
            match_id: match_id.to_owned(),
            ply_id: id,
            revision,
            stage: Stage::Live as i32,
            board: Board::A as i32,
            side: side as i32,
            t_us: u64::from(id) * 1_000,
            uci: uci.to_owned(),
            p: 0.9,
            legal: true,
            ..PlyReported::default()
        };
        self.row(hub, table, Event::PlyReported(reported));
    }

    /// Adds a match of `plies` plies, and revises its first ply until it is followed no further; returns the number of revisions.
    fn revise_until_refused(&mut self, plies: u32, match_id: &str) -> u32 {
        self.opened("mad", "9", match_id);
        for id in 0..plies {
            self.ply("mad", ("9", match_id), id, 0);
        }
        // It has been followed for long by now.
        let game = self.hall.tables.matches.get_mut(match_id).unwrap();
        game.effort = MATCH_EFFORT_MAX - NEARLY;
        let refused = self.hall.refused();
        for revision in 1..100_000 {
            self.ply("mad", ("9", match_id), 0, revision);
            if self.hall.refused() > refused {
                return revision;
            }
        }
        panic!("it is followed without end")
    }

    fn notices(&self) -> String {
        let notices = self.hall.notices(1.0).into_iter().map(|notice| notice.words);
        notices.collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_match_that_is_revised_without_end_is_followed_so_far_and_directors_hear_it() {
    let mut told = Told::new();
    let times = told.revise_until_refused(500, "m9");
    assert!((50..2_000).contains(&times), "{times}");
    assert!(told.notices().contains("match m9 is no longer followed"), "{}", told.notices());
    let spent = told.hall.game("m9").unwrap().effort;
    assert!(spent < MATCH_EFFORT_MAX + MATCH_EFFORT_MAX / 100, "{spent}");
    // The hub's next match, and another hub's, are followed as ever.
    for (hub, table, id) in [("mad", "9", "m10"), ("north", "1", "m1")] {
        told.opened(hub, table, id);
        told.ply(hub, (table, id), 0, 0);
        assert_eq!(told.hall.game(id).unwrap().referee().timeline().plies().len(), 1, "{id}");
    }
}

#[test]
fn an_honest_match_takes_little_of_its_share() {
    let mut told = Told::new();
    told.opened("north", "1", "m1");
    for id in 0..130 {
        // A guess, and what it was.
        told.ply("north", ("1", "m1"), id, 1);
        told.ply("north", ("1", "m1"), id, 2);
    }
    let spent = told.hall.game("m1").unwrap().effort;
    assert!(spent < MATCH_EFFORT_MAX / 100, "{spent}");
    assert_eq!(told.hall.refused(), 0);
}

#[test]
fn a_hub_that_has_had_its_share_is_followed_no_further_and_another_is() {
    let mut told = Told::new();
    told.opened("mad", "9", "m9");
    for effort in [
        Effort { spent: HUB_EFFORT_MAX, ..Effort::default() },
        Effort { plies: HUB_PLIES_MAX, ..Effort::default() },
    ] {
        told.hall.tables.hubs.get_mut("mad").unwrap().effort = effort;
        told.ply("mad", ("9", "m9"), 0, 0);
        assert!(told.hall.game("m9").unwrap().referee().timeline().plies().is_empty());
        assert!(told.notices().contains("a thousand matches"), "{}", told.notices());
    }
    told.opened("north", "1", "m1");
    told.ply("north", ("1", "m1"), 0, 0);
    assert_eq!(told.hall.game("m1").unwrap().referee().timeline().plies().len(), 1);
}
