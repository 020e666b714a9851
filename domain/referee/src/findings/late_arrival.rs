//! A player's first press came later than the book allows.
//!
//! Topics: `LateArrival`. Lateness is counted from when the board's clock ran first.

use rules::{Color, Seat, rulebook::Finding};

use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    names,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let Some(limit_s) = case.terms().late_forfeit_s else { return Vec::new() };
    let limit_us = u64::from(limit_s) * 1_000_000;
    let mut alerts = Vec::new();
    for &board in case.boards() {
        let Some(started_us) = case.clocks.started_us(board) else { continue };
        for color in Color::ALL {
            let seat = Seat { board, color };
            let mut plies = case.timeline.on_board(board);
            let first = plies.find(|(_, ply)| ply.report.seat() == seat).map(|(_, ply)| ply);
            // Black's clock runs only once White has moved.
            let waits = color == Color::Black && case.timeline.on_board(board).next().is_none();
            let first_us = first.map_or(case.now_us, |ply| ply.report.t_us);
            if waits || first_us.saturating_sub(started_us) <= limit_us {
                continue;
            }
            alerts.push(Alert {
                id: format!(
                    "{}:{board}:{}",
                    Finding::LateArrival.code(),
                    names::side(color).to_lowercase()
                ),
                revision: 0,
                code: Finding::LateArrival.code().to_owned(),
                rule: case.finding(Finding::LateArrival),
                further: case.further(Finding::LateArrival),
                board,
                side: Some(color),
                ply: first.map(|ply| ply.report.id),
                t_us: started_us.saturating_add(limit_us),
                confidence: first.map_or(1.0, |ply| ply.report.p),
                claim: ClaimState::NotClaimable,
                silent: false,
                evidence: format!(
                    "{} had not pressed {} minutes after the clock was started.",
                    names::side(color),
                    limit_s / 60
                ),
                retracted: false,
            });
        }
    }
    alerts
}
