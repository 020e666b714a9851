//! Clocks: set to another time than the event's, one flag down, both flags down.
//!
//! Topics: `SetUp`, `FlagClaim`, `BothFlags`.

use rules::{
    BoardId, Color, Seat,
    rulebook::{ClaimKind, Finding},
};

use super::about::{about_anomaly, about_board, about_seat, open_until_over};
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    outcome::ResultReason,
    window,
};

/// The clock was started with another time than the event's. It can be claimed until each side of the board has completed a ply.
pub(super) fn set_wrong(case: &Case<'_>) -> Vec<Alert> {
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

/// A player's time has run out. The opponent may claim it while the own flag is up.
pub(super) fn flag_fallen(case: &Case<'_>) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for &board in case.boards() {
        let flags = case.flags(board);
        let both = flags.iter().all(Option::is_some);
        for (color, flag) in Color::ALL.into_iter().zip(flags) {
            let Some(flag) = flag else { continue };
            let seat = Seat { board, color };
            let when = (flag.t_us, flag.confidence);
            alerts.push(Alert {
                claim: claim_state(case, seat, both),
                silent: !case.td_calls(),
                evidence: flag.evidence,
                ..about_seat(case, Finding::FlagFallen, seat, when)
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

/// Neither player of a board has time left.
pub(super) fn both_flags(case: &Case<'_>) -> Vec<Alert> {
    let claim = match case.book().claim(ClaimKind::BothFlags) {
        None => ClaimState::NotClaimable,
        Some(_) => open_until_over(case),
    };
    let mut alerts = Vec::new();
    for &board in case.boards() {
        let [Some(white), Some(black)] = case.flags(board) else { continue };
        let when = (white.t_us.max(black.t_us), white.confidence.min(black.confidence));
        alerts.push(Alert {
            claim,
            silent: !case.td_calls(),
            evidence: format!("Board {board}: both flags are down."),
            ..about_board(case, Finding::BothFlags, board, when)
        });
    }
    let elsewhere = case
        .anomalies
        .of(Finding::BothFlags)
        .filter(|anomaly| case.flags(anomaly.board).iter().any(Option::is_none));
    alerts.extend(elsewhere.map(|anomaly| about_anomaly(case, anomaly, claim)));
    alerts
}
