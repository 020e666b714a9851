//! Neither player of a board has time left.
//!
//! Topics: `BothFlags`.

use rules::rulebook::{ClaimKind, Finding};

use super::about_anomaly;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let claim = match case.book().claim(ClaimKind::BothFlags) {
        None => ClaimState::NotClaimable,
        Some(_) if case.is_over => ClaimState::Closed,
        Some(_) => ClaimState::Open,
    };
    let mut alerts = Vec::new();
    for &board in case.boards() {
        let [Some(white), Some(black)] = case.flags(board) else { continue };
        let last = if white.t_us >= black.t_us { &white } else { &black };
        alerts.push(Alert {
            id: format!("{}:{board}", Finding::BothFlags.code()),
            revision: 0,
            code: Finding::BothFlags.code().to_owned(),
            rule: case.finding(Finding::BothFlags),
            further: case.further(Finding::BothFlags),
            board,
            side: None,
            ply: None,
            t_us: last.t_us,
            confidence: white.confidence.min(black.confidence),
            claim,
            silent: !case.td_calls(),
            evidence: format!("Board {board}: both flags are down."),
            retracted: false,
        });
    }
    let elsewhere = case
        .anomalies
        .of(Finding::BothFlags)
        .filter(|anomaly| case.flags(anomaly.board).iter().any(Option::is_none));
    alerts.extend(elsewhere.map(|anomaly| about_anomaly(case, anomaly, claim)));
    alerts
}
