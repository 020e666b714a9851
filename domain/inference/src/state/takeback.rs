//! ```text
//! w(ply) = q               if the ply takes the player's last one back, or takes a king that was left in check
//!        = PLY · (1 - q)   otherwise
//! q = TAKEN_BACK           after an illegal ply that was answered
//!   = ANSWER_TAKEN_BACK    after the illegal ply was put back, for its answer
//!   = KING_TAKEN           right after a king was left in check
//!   = 1                    for the presser's own legal ply, where only its takeback is looked for
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
//!
//! Children claim an ignored check by taking the king. That is no slip either, and no choice among
//! moves: it follows the illegal ply at once.

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
    /// The last ply was illegal. Its trip is None if it cannot be put back. `exposed` says whether
    /// it left the own king in check, so that the king may be taken as a claim.
    Slipped { slip: Option<Trip>, exposed: bool },
    /// No takeback: the game was over, and pieces were only shown. Hardly any ply follows.
    Over,
    /// Takeback of the presser's own last ply, which was legal: it is put back before the opponent answers.
    Own(Trip),
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
            (Takeback::PutBack { .. } | Takeback::Own(_), _) if self.is_done_by(ply) => {
                Takeback::Nothing
            }
            (_, Some(reason)) => match (trip(ply), reason == IllegalReason::KingLeftInCheck) {
                (None, false) => Takeback::Nothing,
                (slip, exposed) => Takeback::Slipped { slip, exposed },
            },
            (Takeback::Slipped { slip: Some(slip), .. }, None) => {
                Takeback::Answered { slip, answer: trip(ply) }
            }
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
        let claimed = if self.is_king_exposed() { params::KING_TAKEN } else { 0.0 };
        let q = self.at_stake().map_or(claimed, |(_, q)| q);
        if self == Takeback::Over {
            return params::PLY * params::PLAYS_ON;
        }
        if self.is_done_by(ply) { q } else { params::PLY * (1.0 - q) }
    }

    /// Whether the opponent's last ply left its king in check: taking that king is a claim.
    pub(crate) fn is_king_exposed(self) -> bool {
        matches!(self, Takeback::Slipped { exposed: true, .. })
    }

    /// The state in which only this legal ply of the side to move is taken back. None if it cannot be.
    pub(crate) fn of_own(ply: Ply) -> Option<Takeback> {
        trip(ply).map(Takeback::Own)
    }

    /// The last ply of the side to move, if it may be taken back, and the probability q that it is, 0 to 1.
    fn at_stake(self) -> Option<(Trip, f64)> {
        match self {
            Takeback::Answered { slip, .. } => Some((slip, params::TAKEN_BACK)),
            Takeback::PutBack { answer } => Some((answer, params::ANSWER_TAKEN_BACK)),
            Takeback::Own(own) => Some((own, 1.0)),
            Takeback::Nothing | Takeback::Over | Takeback::Slipped { .. } => None,
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
    fn a_king_left_in_check_may_be_taken_at_once_and_not_later() {
        let check = Some(IllegalReason::KingLeftInCheck);
        for ply_left in ["a7a6", "N@h3"] {
            let exposed = Takeback::Nothing.after(ply(ply_left), check);
            assert!(exposed.is_king_exposed());
            assert!(!exposed.after(ply("b5e8"), None).is_king_exposed());
            assert_eq!(exposed.weight_of(ply("h2h3")), params::PLY * (1.0 - params::KING_TAKEN));
        }
        assert!(!after(&["f2e2"]).is_king_exposed());
    }

    #[test]
    fn only_the_own_ply_is_put_back_before_the_answer() {
        let own = Takeback::of_own(ply("g1f3")).expect("a move");
        assert_eq!((own.weight_of(ply("f3g1")), own.weight_of(ply("f3h4"))), (1.0, 0.0));
        assert_eq!(own.after(ply("f3g1"), None), Takeback::Nothing);
        assert_eq!(Takeback::of_own(ply("P@e4")), None);
    }

    #[test]
    fn an_ordinary_ply_weighs_what_taking_back_leaves() {
        let open = after(&["f2e2", "f6g4"]);
        assert_eq!(open.weight_of(ply("e2f2")), params::TAKEN_BACK);
        assert_eq!(open.weight_of(ply("h2h3")), params::PLY * (1.0 - params::TAKEN_BACK));
        assert_eq!(Takeback::Nothing.weight_of(ply("e2f2")), params::PLY);
    }
}
