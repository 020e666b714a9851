//! A player's time has run out.
//!
//! Topics: `FlagClaim`. The opponent may claim it while the own flag is up.

use rules::{
    BoardId, Color, Seat,
    rulebook::{ClaimKind, Finding},
};

use super::about_anomaly;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    names,
    result::ResultReason,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for &board in case.boards() {
        let flags = case.flags(board);
        let both = flags.iter().all(Option::is_some);
        for (color, flag) in Color::ALL.into_iter().zip(flags) {
            let Some(flag) = flag else { continue };
            alerts.push(Alert {
                id: format!(
                    "{}:{board}:{}",
                    Finding::FlagFallen.code(),
                    names::side(color).to_lowercase()
                ),
                revision: 0,
                code: Finding::FlagFallen.code().to_owned(),
                rule: case.finding(Finding::FlagFallen),
                further: case.further(Finding::FlagFallen),
                board,
                side: Some(color),
                ply: None,
                t_us: flag.t_us,
                confidence: flag.confidence,
                claim: claim_state(case, Seat { board, color }, both),
                silent: !case.td_calls(),
                evidence: flag.evidence,
                retracted: false,
            });
        }
    }
    let of_nobody = case.anomalies.of(Finding::FlagFallen).filter(|anomaly| anomaly.side.is_none());
    alerts.extend(of_nobody.map(|anomaly| about_anomaly(case, anomaly, ClaimState::NotClaimable)));
    alerts
}

/// Whether a fallen flag can still be claimed.
fn claim_state(case: &Case<'_>, seat: Seat, both: bool) -> ClaimState {
    let claimant = seat.opponent();
    if let Some(is_ruled) = case.decisions.claim_by(ClaimKind::FlagFall, claimant) {
        return if is_ruled { ClaimState::Closed } else { ClaimState::Claimed };
    }
    if case.is_over || both {
        return ClaimState::Closed;
    }
    match is_claimed_by_stopping(case, seat.board) {
        true => ClaimState::Claimed,
        false => ClaimState::Open,
    }
}

/// Whether the clocks were stopped on one fallen flag of a board, as a claimant does.
fn is_claimed_by_stopping(case: &Case<'_>, board: BoardId) -> bool {
    case.proposal.is_some_and(|proposal| {
        let on_time = matches!(proposal.reason, ResultReason::Flag | ResultReason::Material);
        proposal.board == board && on_time && proposal.ply.is_none()
    })
}
