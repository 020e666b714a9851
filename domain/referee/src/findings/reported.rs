//! What the tracker finds in the readings and the plies say nothing more about.
//!
//! Topics: `ClockHand`, `Completion`, `Displaced`, `ClockNotStarted`, `Passing`, `Hiding`, `ClockKnocked`, `ClockHover`,
//! `ClockChange`: each passed on with the book's clause about it.

use rules::rulebook::{ClaimKind, Finding};

use super::about_anomaly;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
};

pub(super) fn find(finding: Finding, case: &Case<'_>) -> Vec<Alert> {
    let may_be_claimed = match finding {
        Finding::DisplacedPieces | Finding::PressAfterDisplacing => {
            case.book().claim(ClaimKind::Displaced).is_some()
        }
        _ => false,
    };
    let claim = match (may_be_claimed, case.is_over) {
        (false, _) => ClaimState::NotClaimable,
        (true, false) => ClaimState::Open,
        (true, true) => ClaimState::Closed,
    };
    case.anomalies.of(finding).map(|anomaly| about_anomaly(case, anomaly, claim)).collect()
}

/// Codes of a newer hub: said without a rule.
pub(super) fn unknown(case: &Case<'_>) -> Vec<Alert> {
    let unknown =
        case.anomalies.iter().filter(|anomaly| Finding::from_code(&anomaly.code).is_none());
    unknown.map(|anomaly| about_anomaly(case, anomaly, ClaimState::NotClaimable)).collect()
}
