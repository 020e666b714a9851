//! `illegal-move`: a completed ply that the rules of chess or of drops do not allow.
//!
//! Serves the rules by which an illegal ply loses if the opponent claims it in time, and stands
//! otherwise: `us-chess-bughouse-2018 8` and `15d`, the same numbers of `mcsc-bughouse`,
//! `uscf-bughouse` and `nc-bughouse`, `us-chess-blitz-2020 3b`, `nc-blitz 14`, `nc-scholastic 5`.
//!
//! With p the posterior probability that *whatever* was played was illegal (the type of a dropped piece being unknown, a ply may
//! be illegal in some paths and legal in others), the confidence is
//!
//! ```text
//! logit(confidence) = ALWAYS + OF_POSTERIOR · logit(p) + ODD_BEFORE · odd before + ODD_AFTER · odd after
//!                     + OWN · own + LATER · later [+ DEBT, + DEBT_UNANSWERED]
//! ```
//!
//! The posterior alone says 0.99 far too often: it knows only the paths that the beam holds, and a wrong type that no path doubts any
//! more makes piece after piece move oddly. The [`Surroundings`] tell such a place. The numbers are a logistic regression on
//! hands drawn anew (scholastic, reed, seeds 1, 3, 5 and 7 of the recorded matches), and reported on others. It is never above p²: of the
//! plies with a p from 0.5 to 0.9 a third was illegal there, and none where players play by the rules.

use rules::IllegalReason;

use super::support::{finding::Finding, surroundings::Surroundings, words};
use crate::{answers::marginals::SegmentEstimate, report::AnomalyCode};

const ALWAYS: f64 = 0.9;
const OF_POSTERIOR: f64 = 0.34;
/// No posterior is believed to be surer than this.
const POSTERIOR_AT_MOST: f64 = 1.0 - 1e-5;
const ODD_BEFORE: f64 = -0.11;
const ODD_AFTER: f64 = -0.056;
/// For each unit by which the logarithm of its own segment lies below the first bound, counted down to the second: an illegal ply alone
/// costs no more than that.
const OWN: f64 = -0.31;
const OWN_FROM: f64 = -6.0;
const OWN_TO: f64 = -10.5;
/// For each later segment of the board that is known and has not refuted it.
const LATER: f64 = 0.22;
const LATER_AT_MOST: usize = 3;
/// A drop of what nobody has is mostly a capture that was misread on the other board…
const DEBT: f64 = -1.6;
/// …or one that has not been seen yet.
const DEBT_UNANSWERED: f64 = -2.4;

/// How surely a ply was illegal that is so with this posterior probability, 0 to 1.
fn confidence(posterior: f64, reason: IllegalReason, surroundings: Surroundings) -> f64 {
    let Surroundings { odd_before, odd_after, log, later, is_answered_elsewhere } = surroundings;
    let p = posterior.clamp(1.0 - POSTERIOR_AT_MOST, POSTERIOR_AT_MOST);
    let own = (OWN_FROM - log.max(OWN_TO)).max(0.0);
    let debt = match (reason, is_answered_elsewhere) {
        (IllegalReason::DropNotInReserve, true) => DEBT,
        (IllegalReason::DropNotInReserve, false) => DEBT + DEBT_UNANSWERED,
        _ => 0.0,
    };
    let logit = ALWAYS
        + OF_POSTERIOR * libm::log(p / (1.0 - p))
        + ODD_BEFORE * odd_before
        + ODD_AFTER * odd_after
        + OWN * own
        + LATER * later.min(LATER_AT_MOST) as f64
        + debt;
    (1.0 / (1.0 + libm::exp(-logit))).min(posterior * posterior)
}

/// One finding for each ply that may have been illegal.
pub(crate) fn illegal_moves(answer: &SegmentEstimate, surroundings: Surroundings) -> Vec<Finding> {
    let found = |(slot, ply): (usize, &crate::answers::marginals::PlyEstimate)| {
        let (reason, posterior) = ply.illegal?;
        let confidence = confidence(posterior, reason, surroundings);
        Some(Finding {
            code: AnomalyCode::IllegalMove,
            side: Some(ply.side),
            t_us: ply.t_us,
            confidence,
            slot: Some(slot),
            reason: Some(reason.code()),
            evidence: format!(
                "{} played {}: {} (probability {}).",
                words::side(ply.side),
                words::ply(ply.ply),
                reason.explanation(),
                words::percent(confidence),
            ),
        })
    };
    answer.plies.iter().enumerate().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use rules::{Color, IllegalReason};

    use super::*;
    use crate::answers::marginals::PlyEstimate;

    fn answer(illegal: Option<(IllegalReason, f64)>) -> SegmentEstimate {
        let ply = PlyEstimate {
            ply: "g1g3".parse().expect("a ply"),
            side: Color::White,
            p: 0.97,
            t_us: 40,
            landed_us: 40,
            legal: illegal.is_none(),
            illegal,
            captures: false,
            alternatives: Vec::new(),
        };
        SegmentEstimate { plies: vec![ply], ..SegmentEstimate::default() }
    }

    #[test]
    fn an_illegal_ply_is_found_with_its_reason_in_words() {
        let illegal = answer(Some((IllegalReason::WrongGeometry, 0.9999)));
        let clean = Surroundings { log: -10.1, later: 3, ..Surroundings::default() };
        let found = illegal_moves(&illegal, clean);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.reason, Some("wrong-geometry"));
        assert_eq!(
            finding.evidence,
            "White played g1 to g3: the piece does not move that way (probability 97 %)."
        );
    }

    #[test]
    fn a_legal_ply_is_no_finding() {
        assert!(illegal_moves(&answer(None), Surroundings::default()).is_empty());
    }

    #[test]
    fn a_ply_among_odd_ones_is_less_surely_illegal_and_a_debt_waits_for_the_other_board() {
        let clean = Surroundings { log: -10.1, ..Surroundings::default() };
        let sure = confidence(0.9999, IllegalReason::WrongGeometry, clean);
        let odd = Surroundings { odd_before: 20.0, ..clean };
        assert!(sure > 0.9 && confidence(0.9999, IllegalReason::WrongGeometry, odd) < 0.7);
        let answered = Surroundings { is_answered_elsewhere: true, ..clean };
        let debt = |surroundings| confidence(0.9999, IllegalReason::DropNotInReserve, surroundings);
        assert!(debt(clean) < 0.6 && debt(answered) > 0.7);
    }
}
