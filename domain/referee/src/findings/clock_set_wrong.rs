//! The clock was started with another time than the event's.
//!
//! Topics: `SetUp`. It can be claimed until each side of the board has completed a ply.

use rules::rulebook::{ClaimKind, Finding};

use super::about_anomaly;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    claims::window,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let may_be_claimed = case.book().claim(ClaimKind::ClockSetting).is_some();
    let seen = case.anomalies.of(Finding::ClockSetWrong);
    seen.map(|anomaly| {
        let as_of_us = case.as_of_us(anomaly.board);
        let claim = match may_be_claimed {
            true => window::of_set_up(case, anomaly.board, as_of_us).state(),
            false => ClaimState::NotClaimable,
        };
        about_anomaly(case, anomaly, claim)
    })
    .collect()
}
