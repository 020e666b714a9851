//! One piece was touched and put back, and another was moved.
//!
//! Topics: `TouchMove`. It can be claimed only where the book has such a claim, until the opponent has answered.

use rules::rulebook::{ClaimKind, Finding};

use super::about_anomaly;
use crate::{
    AnomalyReport,
    alert::{Alert, ClaimState},
    case::Case,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let seen = case.anomalies.of(Finding::TouchMove);
    seen.map(|anomaly| about_anomaly(case, anomaly, claim_state(case, anomaly))).collect()
}

fn claim_state(case: &Case<'_>, anomaly: &AnomalyReport) -> ClaimState {
    if case.book().claim(ClaimKind::TouchMove).is_none() {
        return ClaimState::NotClaimable;
    }
    if let Some(is_ruled) =
        anomaly.ply.and_then(|id| case.decisions.claim_against(ClaimKind::TouchMove, id))
    {
        return if is_ruled { ClaimState::Closed } else { ClaimState::Claimed };
    }
    let as_of_us = case.as_of_us(anomaly.board);
    let about = anomaly.ply.and_then(|id| case.timeline.index_of(id));
    let is_answered = case.timeline.on_board(anomaly.board).any(|(at, ply)| {
        let is_later = about.map_or(ply.report.t_us > anomaly.t_us, |index| at > index);
        is_later && Some(ply.report.side) != anomaly.side && ply.report.let_go_us() < as_of_us
    });
    if case.is_over || is_answered { ClaimState::Closed } else { ClaimState::Open }
}
