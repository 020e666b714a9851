//! `illegal-move`: a completed ply that the rules of chess or of drops do not allow.
//!
//! Serves the rules by which an illegal ply loses if the opponent claims it in time, and stands
//! otherwise: `us-chess-bughouse-2018 8` and `15d`, the same numbers of `mcsc-bughouse`,
//! `uscf-bughouse` and `nc-bughouse`, `us-chess-blitz-2020 3b`, `nc-blitz 14`, `nc-scholastic 5`.
//! The confidence is the posterior probability that *whatever* was played was illegal: with the type of
//! a dropped piece unknown, a ply may be illegal in some stories and legal in others.

use super::{Finding, words};
use crate::{answer::SegmentAnswer, output::AnomalyCode};

/// One finding for each ply that may have been illegal.
pub(super) fn illegal_moves(answer: &SegmentAnswer) -> Vec<Finding> {
    let found = |(slot, ply): (usize, &crate::answer::PlyAnswer)| {
        let (reason, confidence) = ply.illegal?;
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
    use crate::answer::PlyAnswer;

    fn answer(illegal: Option<(IllegalReason, f64)>) -> SegmentAnswer {
        let ply = PlyAnswer {
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
        SegmentAnswer { plies: vec![ply], ..SegmentAnswer::default() }
    }

    #[test]
    fn an_illegal_ply_is_found_with_its_reason_in_words() {
        let found = illegal_moves(&answer(Some((IllegalReason::WrongGeometry, 0.97))));
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.reason, Some("wrong-geometry"));
        assert_eq!(
            finding.evidence,
            "White played g1 to g3: the piece does not move that way (probability 97 %)."
        );
    }

    #[test]
    fn a_legal_ply_is_no_finding() {
        assert!(illegal_moves(&answer(None)).is_empty());
    }
}
