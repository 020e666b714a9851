//! ```text
//! w(ply) = q               if the ply takes the player's last one back
//!        = PLY · (1 - q)   otherwise
//! q = TAKEN_BACK           after an illegal ply that was answered
//!   = ANSWER_TAKEN_BACK    after the illegal ply was put back, for its answer
//!   = 0                    otherwise
//! ```
//!
//! `q` is the probability that the side to move takes its last ply back; `PLY` the weight of an average ply.
//!
//! Somebody objects to an illegal ply, and it is put back. If it was answered, the answer is put
//! back too. No player chooses these plies from a list of moves. Without this rule they would be
//! hard to believe: a piece twice moves as it cannot move, and two more plies lead nowhere. So each
//! position carries the plies that may be taken back in it. Every path knows them, with or without
//! a press between the plies.

use rules::{IllegalReason, Ply, Square};

use crate::params;

/// The squares that a piece left and reached.
type Trip = (Square, Square);

/// The trip of a ply that can be taken back. Drops and promotions cannot.
fn trip(ply: Ply) -> Option<Trip> {
    match ply {
        Ply::Move { from, to, promotion: None } => Some((from, to)),
        _ => None,
    }
}

/// The plies that may be taken back on a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Takeback {
    /// None.
    #[default]
    Nothing,
    /// The last ply was illegal.
    Slipped(Trip),
    /// An illegal ply was answered: its player may put it back. The answer is None if it cannot be put back.
    Answered { slip: Trip, answer: Option<Trip> },
    /// An illegal ply was put back: the other player may put the answer back.
    PutBack { answer: Trip },
}

impl Takeback {
    /// The plies that may be taken back after this ply of the side to move.
    #[must_use]
    pub(crate) fn after(self, ply: Ply, illegal: Option<IllegalReason>) -> Takeback {
        match (self, illegal) {
            (Takeback::Answered { answer, .. }, _) if self.is_done_by(ply) => {
                answer.map_or(Takeback::Nothing, |answer| Takeback::PutBack { answer })
            }
            (Takeback::PutBack { .. }, _) if self.is_done_by(ply) => Takeback::Nothing,
            (_, Some(_)) => trip(ply).map_or(Takeback::Nothing, Takeback::Slipped),
            (Takeback::Slipped(slip), None) => Takeback::Answered { slip, answer: trip(ply) },
            _ => Takeback::Nothing,
        }
    }

    /// Whether this ply of the side to move takes its last one back.
    pub(crate) fn is_done_by(self, ply: Ply) -> bool {
        self.at_stake().is_some_and(|((from, to), _)| trip(ply) == Some((to, from)))
    }

    /// Weight w(ply) of a ply of the side to move, 0 to 1. A ply that takes no other back counts as
    /// an average one here.
    pub(crate) fn weight_of(self, ply: Ply) -> f64 {
        let q = self.at_stake().map_or(0.0, |(_, q)| q);
        if self.is_done_by(ply) { q } else { params::PLY * (1.0 - q) }
    }

    /// The last ply of the side to move, if it may be taken back, and the probability q that it is, 0 to 1.
    fn at_stake(self) -> Option<(Trip, f64)> {
        match self {
            Takeback::Answered { slip, .. } => Some((slip, params::TAKEN_BACK)),
            Takeback::PutBack { answer } => Some((answer, params::ANSWER_TAKEN_BACK)),
            Takeback::Nothing | Takeback::Slipped(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLIP: Option<IllegalReason> = Some(IllegalReason::WrongGeometry);

    fn ply(uci: &str) -> Ply {
        uci.parse().expect("a ply")
    }

    /// The plies that may be taken back after these ones, the first of which is illegal.
    fn after(plies: &[&str]) -> Takeback {
        let illegal = [SLIP].into_iter().chain(std::iter::repeat(None));
        plies
            .iter()
            .zip(illegal)
            .fold(Takeback::Nothing, |open, (uci, illegal)| open.after(ply(uci), illegal))
    }

    #[test]
    fn an_illegal_ply_that_was_answered_may_be_taken_back_and_its_answer_after_it() {
        assert!(!after(&["f2e2"]).is_done_by(ply("e2f2")), "the opponent moves first");
        let answered = after(&["f2e2", "f6g4"]);
        assert!(answered.is_done_by(ply("e2f2")) && !answered.is_done_by(ply("e2f3")));
        let put_back = after(&["f2e2", "f6g4", "e2f2"]);
        assert!(put_back.is_done_by(ply("g4f6")) && !put_back.is_done_by(ply("g4h6")));
        assert_eq!(after(&["f2e2", "f6g4", "e2f2", "g4f6"]), Takeback::Nothing);
    }

    #[test]
    fn a_piece_that_is_put_back_against_the_rules_is_no_new_slip() {
        let back = after(&["d1e3", "d8d7"]).after(ply("e3d1"), SLIP);
        assert!(back.is_done_by(ply("d7d8")));
    }

    #[test]
    fn an_illegal_ply_that_stands_is_not_taken_back_later() {
        assert_eq!(after(&["f2e2", "f6g4", "h2h3"]), Takeback::Nothing);
        assert_eq!(after(&["f2e2", "f6g4", "h2h3", "g4f6"]), Takeback::Nothing);
    }

    #[test]
    fn what_was_dropped_is_not_put_back() {
        let dropped = Takeback::Nothing.after(ply("P@e8"), Some(IllegalReason::PawnDropRank));
        assert_eq!(dropped, Takeback::Nothing);
        let answered = after(&["f2e2", "N@g4"]);
        assert_eq!(answered.after(ply("e2f2"), None), Takeback::Nothing);
    }

    #[test]
    fn an_ordinary_ply_weighs_what_taking_back_leaves() {
        let open = after(&["f2e2", "f6g4"]);
        assert_eq!(open.weight_of(ply("e2f2")), params::TAKEN_BACK);
        assert_eq!(open.weight_of(ply("h2h3")), params::PLY * (1.0 - params::TAKEN_BACK));
        assert_eq!(Takeback::Nothing.weight_of(ply("e2f2")), params::PLY);
    }
}
