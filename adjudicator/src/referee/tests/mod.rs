//! Tests named after rules, and proofs that order does not matter.

mod corpus;
mod order;
mod rules_of_the_book;

use rules::{BoardId, Color, Ply};

use super::*;

pub(super) fn uci(text: &str) -> Ply {
    text.parse().expect("UCI")
}

/// A match told to a referee ply by ply.
pub(super) struct Told {
    pub(super) referee: Referee,
    next: PlyId,
}

impl Told {
    pub(super) fn new() -> Told {
        Told { referee: Referee::new(Terms::new("us-chess-bughouse-2018")), next: 1 }
    }

    /// Plays `A:e2e4` or `b:e7e5`: the letter is the board, lower case for Black.
    pub(super) fn play(mut self, plies: &str) -> Told {
        for text in plies.split_whitespace() {
            let report = report(self.next, 0, text);
            self.next += 1;
            self.referee.handle(report.t_us, Input::Ply(report));
        }
        self
    }

    pub(super) fn tell(mut self, input: Input) -> Told {
        let now_us = self.referee.now_us();
        self.referee.handle(now_us, input);
        self
    }

    pub(super) fn alert(&self, code: &str) -> Option<&Alert> {
        self.referee.alerts().find(|alert| alert.code == code)
    }

    pub(super) fn standing_alert(&self, code: &str) -> Option<&Alert> {
        self.alert(code).filter(|alert| !alert.retracted)
    }
}

/// Ply `id`, one second of match time after the one before it.
pub(super) fn report(id: PlyId, revision: u32, text: &str) -> PlyReport {
    let (seat, ply) = text.split_once(':').expect("board:uci");
    let letter = seat.chars().next().expect("a letter");
    PlyReport {
        id,
        revision,
        board: if letter.eq_ignore_ascii_case(&'a') { BoardId::A } else { BoardId::B },
        side: if letter.is_uppercase() { Color::White } else { Color::Black },
        t_us: u64::from(id) * 1_000_000,
        ply: uci(ply),
        p: 0.99,
        legal: false,
        alternatives: Vec::new(),
        clock_ms: None,
    }
}
