//! `illegal-move`: a completed ply that the rules of chess or of drops do not allow.
//!
//! ```text
//! logit(c) = ALWAYS + OF_POSTERIOR · logit(p) + ODD_BEFORE · odd_before + ODD_AFTER · odd_after
//!          + OWN · max(0, OWN_FROM − max(log, OWN_TO)) + LATER · min(later, LATER_AT_MOST)
//!          + LINKED · min(linked, LINKED_AT_MOST)
//!          + (CAREFUL + OTHERS · min(others, OTHERS_AT_MOST)) · max(0, ln(SMALL_HANDS / mishap share))
//!          + [STILL_IN_CHECK · min(checks, CHECKS_AT_MOST) if the king was left in check]
//!          + [DEBT if a drop was not in the reserve] + [DEBT_UNANSWERED if also the other board has had no segment since]
//!          + [LAST_RANK if a pawn was dropped on a last rank]
//!          + [DROPPED if a piece moved as it cannot that was dropped]
//!          + CLAIMED · p(the opponent takes the king next)
//! confidence = min(c, p²)
//! of a drop that the partner's next ply does not supply, p is taken times
//!   1 − (1 − OUT_OF_NOWHERE) · min(1, spare)
//! ```
//!
//! - p: posterior probability that the ply was illegal, whatever was played. The type of a dropped
//!   piece is unknown, so the ply may be illegal in some paths and legal in others.
//! - linked, others, checks: other plies of the board that look illegal ([`Others`]). A piece that
//!   moves oddly again and again has a wrong type; one that is thought to give check makes every
//!   ply of its opponent look illegal. A square that fails does the same to all that passes it.
//!   Where an illegal ply every twentieth ply is the players' habit, others say nothing; where
//!   players hardly ever slip, each other one makes a wrong belief likelier.
//! - spare: the pieces that the partner [captured](SupplyHistory) and that were not dropped yet,
//!   whatever they were. Where there is one, the dropped piece mostly is that one, and its type or
//!   its capture was read wrongly. Where nobody captured any, nothing can have been misread.
//! - odd_before, odd_after, log, later: how well the segments around the ply are explained
//!   ([`Surroundings`]).
//!
//! The posterior alone says 0.99 far too often: it knows only the paths in the beam. Once no path
//! doubts a wrong type any more, piece after piece seems to move wrongly. The surroundings tell
//! such a place. The bound p² comes from the fit: of the plies with p from 0.5 to 0.9 a third was
//! illegal there, and none where players play by the rules.
//!
//! Fitted: the coefficients are a logistic regression on drawn scholastic hands, reed boards, seeds
//! 1, 3, 5 and 7 of the recorded matches; figures are reported on other seeds.
//!
//! Serves the topic illegal moves: an illegal ply loses if the opponent claims it in time, and
//! stands otherwise.

use rules::IllegalReason;

use crate::anomaly::{
    findings::finding::prelude::*,
    segments::{
        illegal_history::{IllegalHistory, Others},
        supply_history::SupplyHistory,
        surroundings::Surroundings,
    },
};

/// Intercept. Fitted: see the module.
const ALWAYS: f64 = 0.9;
/// Coefficient of logit(p). Fitted: see the module.
const OF_POSTERIOR: f64 = 0.34;
/// Bounds p to 1e-5 from 0 and from 1, so that logit(p) is finite. Assumed.
const POSTERIOR_AT_MOST: f64 = 1.0 - 1e-5;
/// Coefficient of the oddness of the segments before, per natural logarithm. Fitted: see the module.
const ODD_BEFORE: f64 = -0.11;
/// Coefficient of the oddness of the segments after, per natural logarithm. Fitted: see the module.
const ODD_AFTER: f64 = -0.056;
/// Coefficient of the oddness of the ply's own segment, per natural logarithm between OWN_FROM and
/// OWN_TO. Fitted: see the module.
const OWN: f64 = -0.31;
/// Log probability below which the own segment counts as odd, natural logarithm. Assumed.
const OWN_FROM: f64 = -6.0;
/// Log probability below which it counts no further, natural logarithm. Assumed: an illegal ply
/// alone costs no more.
const OWN_TO: f64 = -10.5;
/// Coefficient for each later segment of the board that is known and has not refuted the ply.
/// Fitted: see the module.
const LATER: f64 = 0.22;
/// Maximum number of later segments that count. Assumed.
const LATER_AT_MOST: usize = 3;
/// Coefficient for each ply that looks illegal and is linked to this one. Fitted: drawn hands,
/// seeds 1 to 22, club boards that fail and do not, and scholastic ones; of linked ones 1 in 37 was
/// true on boards that fail.
const LINKED: f64 = -2.0;
/// Maximum number of linked plies that count. Assumed.
const LINKED_AT_MOST: usize = 2;
/// Coefficient per natural logarithm by which mishaps are rarer than in small hands: careful
/// players make fewer illegal plies, and boards fail as often. Fitted: as [`LINKED`].
const CAREFUL: f64 = -0.2;
/// Coefficient for each other ply of the board that looks illegal, per natural logarithm by which
/// mishaps are rarer than in small hands. Fitted: as [`LINKED`].
const OTHERS: f64 = -1.5;
/// Maximum number of others that count. Assumed.
const OTHERS_AT_MOST: usize = 3;
/// The mishap share of small hands, 0 to 1. Measured: drawn scholastic hands, seeds 1 to 12.
const SMALL_HANDS: f64 = 0.27;
/// Coefficient for each earlier report that the player left the king in check, for another one.
/// Fitted: drawn scholastic hands, seeds 1 to 22; of the first such reports 93 % were true there,
/// of the third and later ones 13 %.
const STILL_IN_CHECK: f64 = -1.5;
/// Maximum number of earlier reports that count. Assumed.
const CHECKS_AT_MOST: usize = 2;
/// Added for a drop that no reserve holds: it is mostly a capture misread on the other board.
/// Fitted: see the module.
const DEBT: f64 = -1.6;
/// Added besides while the other board has had no segment since: the capture may not have been seen
/// yet. Fitted: see the module.
const DEBT_UNANSWERED: f64 = -2.4;
/// Added for a pawn dropped on a first or last rank: mostly another type was dropped. Fitted: drawn
/// hands, seeds 1 to 22; it halves what is shown falsely at clubs.
const LAST_RANK: f64 = -1.6;

/// Added for a piece that was dropped, and moves as a piece of its type cannot: mostly its type is
/// another. Fitted: drawn scholastic hands, seeds 401 to 403, weights that have not seen the games;
/// of 19 such plies 6 were true, and of 164 of other pieces 161.
const DROPPED: f64 = -2.75;
/// Coefficient for a king that is taken next: children claim an ignored check so. Assumed.
const CLAIMED: f64 = 2.0;
/// Probability that a drop without any supply, before it or by the partner's next ply, was really
/// on credit, where the partner captured a piece that could be this one. More often the type of
/// the piece, or its capture, was read wrongly. Assumed: set by hand.
const OUT_OF_NOWHERE: f64 = 0.3;

/// Factor of the posterior of a drop, by the pieces that the player may hold besides.
fn credit(ply: &PlyEstimate, spare: f64) -> f64 {
    if ply.is_unsupplied { 1.0 - (1.0 - OUT_OF_NOWHERE) * spare.min(1.0) } else { 1.0 }
}

/// The confidence of the module's formula, 0 to 1, for a ply that is illegal with this posterior probability.
fn confidence(
    posterior: f64,
    (reason, is_dropped): (IllegalReason, bool),
    claimed: f64,
    surroundings: Surroundings,
    others: Others,
) -> f64 {
    let Surroundings { odd_before, odd_after, log, later, mishap_share, .. } = surroundings;
    let p = posterior.clamp(1.0 - POSTERIOR_AT_MOST, POSTERIOR_AT_MOST);
    let own = (OWN_FROM - log.max(OWN_TO)).max(0.0);
    let of_reason = match reason {
        IllegalReason::DropNotInReserve if surroundings.is_answered_elsewhere => DEBT,
        IllegalReason::DropNotInReserve => DEBT + DEBT_UNANSWERED,
        IllegalReason::PawnDropRank => LAST_RANK,
        IllegalReason::WrongGeometry | IllegalReason::BlockedPath if is_dropped => DROPPED,
        IllegalReason::KingLeftInCheck => {
            STILL_IN_CHECK * others.left_in_check.min(CHECKS_AT_MOST) as f64
        }
        _ => 0.0,
    };
    let rarer = libm::log(SMALL_HANDS / mishap_share).max(0.0);
    let logit = ALWAYS
        + OF_POSTERIOR * libm::log(p / (1.0 - p))
        + ODD_BEFORE * odd_before
        + ODD_AFTER * odd_after
        + OWN * own
        + LATER * later.min(LATER_AT_MOST) as f64
        + LINKED * others.linked.min(LINKED_AT_MOST) as f64
        + (CAREFUL + OTHERS * others.on_board.min(OTHERS_AT_MOST) as f64) * rarer
        + of_reason
        + CLAIMED * claimed;
    (1.0 / (1.0 + libm::exp(-logit))).min(posterior * posterior)
}

/// One finding for each ply of this layer that may have been illegal.
pub(crate) fn illegal_moves(
    (board, layer): (BoardId, usize),
    answer: &SegmentEstimate,
    surroundings: Surroundings,
    (history, supply): (&IllegalHistory, &SupplyHistory),
) -> Vec<Finding> {
    let found = |(slot, ply): (usize, &PlyEstimate)| {
        let (reason, posterior) = ply.illegal.filter(|_| !answer.is_put_back(slot))?;
        let others = history.others((layer, slot), board, ply);
        let posterior = posterior * credit(ply, supply.spare(layer, board, ply.side));
        let is_dropped =
            ply.ply.from().is_some_and(|on| supply.was_dropped(layer, (board, ply.side), on));
        let of_reason = (reason, is_dropped);
        let confidence = confidence(posterior, of_reason, ply.claimed, surroundings, others);
        let (side, made) = (words::side(ply.side), words::ply(ply.ply));
        let (why, p) = (reason.explanation(), words::percent(confidence));
        let doubt = match others.linked {
            0 => "",
            _ => {
                " Another ply of this piece, or one that met it, looks illegal, too: a piece of another type is likelier."
            }
        };
        let evidence = format!("{side} played {made}: {why} (probability {p}).{doubt}");
        let found = Finding::new(AnomalyCode::IllegalMove, ply.t_us, confidence, evidence);
        Some(Finding { reason: Some(reason.code()), ..found.by(ply.side).at(slot) })
    };
    answer.plies.iter().enumerate().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use rules::Color;

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
            captured: None,
            is_unsupplied: false,
            claimed: 0.0,
            alternatives: Vec::new(),
        };
        SegmentEstimate { plies: vec![ply], ..SegmentEstimate::default() }
    }

    /// Surroundings without anything odd, where mishaps are as frequent as with small hands.
    const CLEAN: Surroundings = Surroundings {
        odd_before: 0.0,
        odd_after: 0.0,
        log: -10.1,
        later: 3,
        is_answered_elsewhere: false,
        mishap_share: SMALL_HANDS,
    };

    /// The confidence for a ply of another geometry, of this posterior.
    fn wrong(surroundings: Surroundings, others: Others) -> f64 {
        confidence(0.9999, (IllegalReason::WrongGeometry, false), 0.0, surroundings, others)
    }

    fn found(answer: &SegmentEstimate) -> Vec<Finding> {
        let nothing = (&IllegalHistory::default(), &SupplyHistory::default());
        illegal_moves((BoardId::A, 0), answer, CLEAN, nothing)
    }

    #[test]
    fn an_illegal_ply_is_found_with_its_reason_in_words() {
        let found = found(&answer(Some((IllegalReason::WrongGeometry, 0.9999))));
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.reason, Some("wrong-geometry"));
        assert_eq!(
            finding.evidence,
            "White played g1 to g3: the piece does not move that way (probability 97 %)."
        );
    }

    #[test]
    fn a_piece_that_moves_oddly_again_is_said_to_be_of_another_type_more_likely() {
        let first = answer(Some((IllegalReason::WrongGeometry, 0.9999)));
        let mut second = first.clone();
        second.plies[0].ply = "g3b4".parse().expect("a ply");
        let mut history = IllegalHistory::default();
        for (layer, answer) in [&first, &second].into_iter().enumerate() {
            history.note(layer, BoardId::A, answer);
        }
        let found =
            illegal_moves((BoardId::A, 1), &second, CLEAN, (&history, &SupplyHistory::default()));
        assert!(found[0].evidence.ends_with("a piece of another type is likelier."), "{found:?}");
    }

    #[test]
    fn a_legal_ply_is_no_finding() {
        assert!(found(&answer(None)).is_empty());
    }

    #[test]
    fn a_ply_among_odd_ones_is_less_surely_illegal_and_a_debt_waits_for_the_other_board() {
        let soon = Surroundings { later: 0, ..CLEAN };
        let odd = Surroundings { odd_before: 20.0, ..soon };
        let alone = Others::default();
        assert!(wrong(soon, alone) > 0.9 && wrong(odd, alone) < 0.7);
        let answered = Surroundings { is_answered_elsewhere: true, ..soon };
        let debt = |surroundings| {
            let owed = (IllegalReason::DropNotInReserve, false);
            confidence(0.9999, owed, 0.0, surroundings, alone)
        };
        assert!(debt(soon) < 0.6 && debt(answered) > 0.7);
    }

    #[test]
    fn a_king_that_stays_in_check_ply_after_ply_is_a_wrong_type_and_no_offence() {
        let after = |left_in_check| {
            let others = Others { left_in_check, ..Others::default() };
            confidence(0.9999, (IllegalReason::KingLeftInCheck, false), 0.0, CLEAN, others)
        };
        assert!(after(0) > 0.9 && after(1) > 0.7 && after(2) < after(1) && after(2) < 0.7);
    }

    #[test]
    fn a_king_that_is_taken_next_confirms_the_check_that_was_left() {
        let after = |claimed| {
            let check = (IllegalReason::KingLeftInCheck, false);
            confidence(0.97, check, claimed, CLEAN, Others::default())
        };
        assert!(after(1.0) > 0.93 && after(0.0) < 0.9);
    }

    #[test]
    fn a_drop_is_doubtful_only_while_a_capture_may_have_been_that_piece() {
        let owed = Some((IllegalReason::DropNotInReserve, 0.9999));
        let mut drop = answer(owed);
        drop.plies[0].ply = "N@e4".parse().expect("a ply");
        drop.plies[0].is_unsupplied = true;
        let surroundings = Surroundings { is_answered_elsewhere: true, ..CLEAN };
        let found = |captures| {
            let mut supply = SupplyHistory::default();
            let capture = SegmentEstimate { captures, ..SegmentEstimate::default() };
            supply.note(0, BoardId::B, &capture);
            let at = (BoardId::A, 1);
            let history = IllegalHistory::default();
            illegal_moves(at, &drop, surroundings, (&history, &supply))[0].confidence
        };
        assert!(found([0.0, 1.0]) < 0.1, "Black at B is the partner of White at A");
        assert!(found([0.0, 0.0]) > 0.7 && found([1.0, 0.0]) > 0.7);
    }

    #[test]
    fn a_pawn_on_a_last_rank_is_mostly_another_type() {
        let of = |reason| confidence(0.9999, (reason, false), 0.0, CLEAN, Others::default());
        assert!(of(IllegalReason::PawnDropRank) < of(IllegalReason::BlockedPath) - 0.02);
    }

    #[test]
    fn dropped_piece_that_moves_oddly_has_mostly_another_type() {
        let of = |is_dropped| {
            let reason = (IllegalReason::WrongGeometry, is_dropped);
            confidence(0.9999, reason, 0.0, CLEAN, Others::default())
        };
        assert!(of(false) > 0.95 && of(true) < 0.7);
    }

    #[test]
    fn a_piece_that_moves_oddly_again_has_a_wrong_type_and_is_no_offence() {
        let linked = |linked| wrong(CLEAN, Others { on_board: linked, linked, left_in_check: 0 });
        assert!(linked(1) < linked(0) && linked(2) < 0.5);
    }

    #[test]
    fn many_illegal_plies_are_a_habit_of_small_hands_and_a_wrong_belief_where_hands_are_careful() {
        let three = Others { on_board: 3, ..Others::default() };
        let careful = Surroundings { mishap_share: 0.08, ..CLEAN };
        assert_eq!(wrong(CLEAN, three), wrong(CLEAN, Others::default()));
        assert!(wrong(careful, three) < 0.5 && wrong(careful, Others::default()) > 0.9);
    }
}
