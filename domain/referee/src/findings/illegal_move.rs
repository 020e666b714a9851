//! A completed ply that the rules do not allow.
//!
//! Topics: `IllegalPly`, `IllegalClaimLapses`, `IllegalUnnoticed`.

use rules::rulebook::{Cite, ClaimKind, Finding, Topic};

use super::about::{about_anomaly, about_ply, open_until_over};
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    ids::PlyId,
    names,
    offences::illegality::{is_illegal, probability, rule, why},
    timeline::{KingTaken, TimedPly},
    window::{self, Window},
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
    let claim = open_until_over(case);
    alerts.chain(without_ply.map(|anomaly| about_anomaly(case, anomaly, claim))).collect()
}

/// Further clause: the ply stayed unnoticed.
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

/// State of the claim against the ply at `index`, with its sentence.
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
    let mut later = case.timeline.plies()[index + 1..].iter().map(|ply| &**ply);
    later.find(|ply| ply.report.board == offence.board).filter(claims)
}
