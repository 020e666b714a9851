//! Tests named after rules, and proofs that order does not matter.

mod adversarial;
mod asked;
mod corpus;
mod evidence;
mod instances;
mod one_message;
mod order;
mod outputs;
mod people;
mod rules_of_the_book;
mod wrong_judgments;

use rules::{BoardId, Color, Ply, rulebook::BookId};

use super::*;
use crate::act::{Act, ActId, Person, Role, What};

pub(super) fn uci(text: &str) -> Ply {
    text.parse().expect("UCI")
}

/// A match that a referee receives ply by ply.
pub(super) struct MatchUnderTest {
    pub(super) referee: Referee,
    next: PlyId,
    next_act: u64,
}

impl MatchUnderTest {
    pub(super) fn new() -> MatchUnderTest {
        MatchUnderTest::under(BookId::UsChessBughouse2018)
    }

    pub(super) fn under(book: BookId) -> MatchUnderTest {
        MatchUnderTest { referee: Referee::new(Conditions::new(book)), next: 1, next_act: 1 }
    }

    /// A director acts, having seen everything.
    pub(super) fn act(self, what: What) -> MatchUnderTest {
        self.act_by(Role::Director, what)
    }

    pub(super) fn act_by(mut self, role: Role, what: What) -> MatchUnderTest {
        let by = Person { id: role.to_string(), role };
        let (id, t_us, seen) =
            (ActId(self.next_act), self.referee.now_us(), self.referee.version());
        self.next_act += 1;
        self.tell(Input::Act(Act { id, by, t_us, seen, what }))
    }

    pub(super) fn at(mut self, now_us: u64, input: Input) -> MatchUnderTest {
        self.referee.handle(now_us, input);
        self
    }

    /// Returns all outputs that were not polled yet.
    pub(super) fn drain(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.referee.poll_output()).collect()
    }

    /// Plays `A:e2e4` or `b:e7e5`: the letter is the board, lower case for Black.
    pub(super) fn play(mut self, plies: &str) -> MatchUnderTest {
        for text in plies.split_whitespace() {
            let report = report(self.next, 0, text);
            self.next += 1;
            self.referee.handle(report.t_us, Input::Ply(report));
        }
        self
    }

    pub(super) fn tell(mut self, input: Input) -> MatchUnderTest {
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
        released_us: None,
        touched_us: None,
        ply: uci(ply),
        p: 0.99,
        legal: false,
        alternatives: Vec::new(),
        clock_ms: None,
    }
}

/// An anomaly of White's at A.
pub(super) fn anomaly(id: AnomalyId, code: &str, ply: Option<PlyId>) -> AnomalyReport {
    AnomalyReport {
        id,
        revision: 0,
        code: code.to_owned(),
        board: BoardId::A,
        side: Some(Color::White),
        t_us: 1_000_000,
        confidence: 0.9,
        ply,
        reason: None,
        evidence: "The board showed it.".to_owned(),
    }
}
