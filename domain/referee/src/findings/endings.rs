//! Begin and end of play: late arrival, a stop while a claim is open, plies after the end.
//!
//! Topics: `LateArrival`, `IllegalClaim`, `IllegalClaimLapses`, `MatchEnd`.

use rules::{Color, Seat, rulebook::Finding};

use super::about::{about_last_plies, about_ply, about_seat};
use crate::{
    alert::Alert,
    case::Case,
    names,
    offences::illegality,
    window::{self, Window},
};

/// A player's first press came later than the book allows, counted from when the board's clock ran first.
pub(super) fn late_arrival(case: &Case<'_>) -> Vec<Alert> {
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
            let when = (started_us.saturating_add(limit_us), first.map_or(1.0, |ply| ply.report.p));
            alerts.push(Alert {
                ply: first.map(|ply| ply.report.id),
                evidence: format!(
                    "{} had not pressed {} minutes after the clock was started.",
                    names::side(color),
                    limit_s / 60
                ),
                ..about_seat(case, Finding::LateArrival, seat, when)
            });
        }
    }
    alerts
}

/// The clocks were stopped while the last ply could be claimed. The alert shows the basis of a claim made now.
pub(super) fn stopped_with_open_claim(case: &Case<'_>) -> Vec<Alert> {
    let mut alerts = about_last_plies(case, Finding::StoppedWithOpenClaim, |index, ply| {
        let stopped_us = case.clocks.stopped_us(ply.report.board)?;
        let is_open = illegality::is_illegal(case, ply)
            && window::of_ply(case, index, stopped_us) == Window::Open;
        is_open.then(|| {
            format!(
                "Board {}: play stopped after {}, which was illegal and had not been answered. If {} claimed it, the \
                 claim was in time.",
                ply.report.board,
                ply.san,
                names::side(ply.report.side.other())
            )
        })
    });
    for alert in &mut alerts {
        let index = alert.ply.and_then(|id| case.timeline.index_of(id));
        if let Some(index) = index {
            let ply = &case.timeline.plies()[index];
            alert.confidence = illegality::probability(case, index, ply);
        }
    }
    alerts
}

/// Plies were made after the match was decided. They are kept in the record and marked.
pub(super) fn plies_after_end(case: &Case<'_>) -> Vec<Alert> {
    let plies = case.timeline.plies();
    let Some((proposal, end)) =
        case.proposal.and_then(|proposal| Some((proposal, case.timeline.index_of(proposal.ply?)?)))
    else {
        return Vec::new();
    };
    let Some(first) = plies.get(end + 1) else { return Vec::new() };
    let mut alert = about_ply(case, first, Finding::PliesAfterEnd);
    alert.id = Finding::PliesAfterEnd.code().to_owned();
    alert.side = None;
    alert.confidence = proposal.confidence;
    alert.evidence = format!(
        "Board {} played on after board {} was decided ({} so far): kept in the record, marked after the end.",
        first.report.board,
        plies[end].report.board,
        plies.len() - end - 1
    );
    vec![alert]
}
