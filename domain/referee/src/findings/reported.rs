//! Findings that the tracker makes in the readings, passed on with the book's clause.
//!
//! Topics: `ClockHand`, `Completion`, `Displaced`, `ClockNotStarted`, `Passing`, `Hiding`, `ClockKnocked`, `ClockHover`,
//! `ClockChange`, `TouchMove`.

use rules::rulebook::{ClaimKind, Finding};

use super::about::{about_anomaly, open_until_over};
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    input::AnomalyReport,
};

pub(super) fn find(finding: Finding, case: &Case<'_>) -> Vec<Alert> {
    let may_be_claimed = match finding {
        Finding::DisplacedPieces | Finding::PressAfterDisplacing => {
            case.book().claim(ClaimKind::Displaced).is_some()
        }
        _ => false,
    };
    let claim = if may_be_claimed { open_until_over(case) } else { ClaimState::NotClaimable };
    case.anomalies.of(finding).map(|anomaly| about_anomaly(case, anomaly, claim)).collect()
}

/// Codes of a newer hub, without a rule.
pub(super) fn unknown(case: &Case<'_>) -> Vec<Alert> {
    let unknown =
        case.anomalies.iter().filter(|anomaly| Finding::from_code(&anomaly.code).is_none());
    unknown.map(|anomaly| about_anomaly(case, anomaly, ClaimState::NotClaimable)).collect()
}

/// One piece was touched and put back, and another was moved. It can be claimed only where the book has such a claim, until the
/// opponent has answered.
pub(super) fn touch_move(case: &Case<'_>) -> Vec<Alert> {
    let seen = case.anomalies.of(Finding::TouchMove);
    seen.map(|anomaly| about_anomaly(case, anomaly, touch_move_claim(case, anomaly))).collect()
}

fn touch_move_claim(case: &Case<'_>, anomaly: &AnomalyReport) -> ClaimState {
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
    if is_answered { ClaimState::Closed } else { open_until_over(case) }
}
