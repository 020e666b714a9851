//! A completed ply that the rules do not allow.
//!
//! Topics: `IllegalPly`, `IllegalClaimLapses`, `IllegalUnnoticed`; `DropSquares`, `MovesAndDrops`, `Passing`, `Promotion`,
//! `PromotedCaptured` where they say what is wrong.

use rules::{
    IllegalReason, Ply,
    rulebook::{Cite, ClaimKind, Finding, Topic},
};

use super::{about_anomaly, about_ply};
use crate::{
    AnomalyReport, PlyId,
    alert::{Alert, ClaimState},
    case::Case,
    claims::{Window, window},
    names,
    timeline::{KingTaken, TimedPly},
};

/// The id of the alert about an illegal ply.
pub(crate) fn alert_id(id: PlyId) -> String {
    format!("{}:{id}", Finding::IllegalMove.code())
}

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let plies = case.timeline.plies().iter().enumerate();
    let illegal = plies.filter(|(_, ply)| is_illegal(case, ply));
    let alerts = illegal.map(|(index, ply)| {
        let (claim, says) = claim_state(case, index);
        let mut alert = about_ply(case, ply, Finding::IllegalMove);
        alert.rule = rule(case, ply);
        alert.further = further(case, index, claim);
        alert.confidence = probability(case, index, ply);
        alert.silent = !case.td_calls();
        alert.claim = claim;
        alert.evidence = format!(
            "Board {}: {} played {}: {}. {says}",
            ply.report.board,
            names::side(ply.report.side),
            ply.san,
            why(case, ply)
        );
        alert
    });
    let without_ply = case
        .anomalies
        .of(Finding::IllegalMove)
        .filter(|anomaly| anomaly.ply.is_none_or(|id| case.timeline.index_of(id).is_none()));
    let claim = if case.is_over { ClaimState::Closed } else { ClaimState::Open };
    alerts.chain(without_ply.map(|anomaly| about_anomaly(case, anomaly, claim))).collect()
}

/// Whether a ply is illegal as far as known. Taking the king as a claim is none.
pub(crate) fn is_illegal(case: &Case<'_>, ply: &TimedPly) -> bool {
    !ply.is_king_capture_claim() && (ply.illegal.is_some() || reported(case, ply).is_some())
}

fn reported<'a>(case: &Case<'a>, ply: &TimedPly) -> Option<&'a AnomalyReport> {
    case.anomalies.about(Finding::IllegalMove, ply.report.id)
}

/// The rule that the ply breaks: the one that says what is wrong, or else the one about illegal plies.
pub(crate) fn rule(case: &Case<'_>, ply: &TimedPly) -> Option<Cite> {
    let topic = match ply.illegal {
        Some(IllegalReason::PawnDropRank | IllegalReason::DropOnOccupied) => {
            Some(Topic::DropSquares)
        }
        Some(IllegalReason::DropNotInReserve) if was_promoted(case, ply) => {
            Some(Topic::PromotedCaptured)
        }
        Some(IllegalReason::NoPiece | IllegalReason::DropOfKing) => Some(Topic::MovesAndDrops),
        Some(IllegalReason::DropNotInReserve) => Some(Topic::Passing),
        Some(IllegalReason::PromotionMissing | IllegalReason::PromotionImpossible) => {
            Some(Topic::Promotion)
        }
        _ => None,
    };
    topic.and_then(|topic| case.cite(topic)).or_else(|| case.finding(Finding::IllegalMove))
}

/// What else bears on it: that nobody noticed it.
fn further(case: &Case<'_>, index: usize, claim: ClaimState) -> Vec<Cite> {
    let ply = &case.timeline.plies()[index];
    let was_claimed = case.decisions.claim_against(ClaimKind::IllegalPly, ply.report.id).is_some();
    let unnoticed = match claim {
        ClaimState::Closed if !was_claimed => case.cite(Topic::IllegalUnnoticed),
        _ => None,
    };
    let rule = rule(case, ply);
    unnoticed.into_iter().filter(|cite| Some(*cite) != rule).collect()
}

/// Whether a piece of the dropped role was captured for the player before, and was a promoted pawn.
fn was_promoted(case: &Case<'_>, drop: &TimedPly) -> bool {
    let Ply::Drop { role, .. } = drop.report.ply else { return false };
    let captures = case.timeline.on_board(drop.report.board.other());
    captures.take_while(|(_, ply)| ply.report.t_us <= drop.report.t_us).any(|(index, ply)| {
        let before = case.timeline.before(index).boards.position(ply.report.board);
        let to = ply.report.ply.to();
        before.promoted().contains(to)
            && before
                .piece_at(to)
                .is_some_and(|piece| piece.role == role && piece.color == drop.report.side)
    })
}

/// What is wrong with the ply, as the second half of a sentence.
pub(crate) fn why(case: &Case<'_>, ply: &TimedPly) -> String {
    match (ply.illegal, reported(case, ply)) {
        (Some(reason), _) => reason.explanation().to_owned(),
        (None, Some(anomaly)) => anomaly.evidence.trim_end_matches('.').to_owned(),
        (None, None) => String::new(),
    }
}

/// The probability that what was played was illegal: the sum over everything illegal that it may have been.
pub(crate) fn probability(case: &Case<'_>, index: usize, ply: &TimedPly) -> f64 {
    if let Some(anomaly) = reported(case, ply).filter(|_| !ply.is_pinned) {
        return anomaly.confidence;
    }
    let others = ply.report.alternatives.iter().filter(|alternative| {
        alternative.ply != ply.report.ply
            && case.timeline.is_illegal_instead(index, alternative.ply)
    });
    (ply.report.p + others.map(|alternative| alternative.p).sum::<f64>()).min(1.0)
}

/// Whether the ply at `index` can be claimed, with the sentence that says so.
fn claim_state(case: &Case<'_>, index: usize) -> (ClaimState, String) {
    let ply = &case.timeline.plies()[index];
    let opponent = names::side(ply.report.side.other());
    if let Some(taker) = king_taken_after(case, index) {
        return (
            ClaimState::Claimed,
            format!("{opponent} claimed it by taking the king with {}.", taker.san),
        );
    }
    if let Some(is_ruled) = case.decisions.claim_against(ClaimKind::IllegalPly, ply.report.id) {
        let says = format!("{opponent} has claimed it.");
        return (if is_ruled { ClaimState::Closed } else { ClaimState::Claimed }, says);
    }
    let window = match ply.is_undone {
        true => Window::MatchOver,
        false => window::of_ply(case, index, case.as_of_us(ply.report.board)),
    };
    let says = match window.says(case) {
        Some(closed) => match window::cite(case) {
            Some(cite) => format!("{closed} It can no longer be claimed ({cite})."),
            None => format!("{closed} It can no longer be claimed."),
        },
        None => format!("{opponent} may claim."),
    };
    (window.state(), says)
}

/// The king capture that claimed the ply at `index`.
fn king_taken_after<'a>(case: &Case<'a>, index: usize) -> Option<&'a TimedPly> {
    let offence = &case.timeline.plies()[index].report;
    let claims =
        |ply: &&TimedPly| ply.king_taken == Some(KingTaken::IsClaim { against: offence.id });
    // It claims the ply before it on its board, and none else.
    let mut later = case.timeline.plies()[index + 1..].iter();
    later.find(|ply| ply.report.board == offence.board).filter(claims)
}
