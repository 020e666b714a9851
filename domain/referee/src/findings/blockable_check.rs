//! A player in check has no ply, but a supplied piece could still block the check, and the clocks are stopped.
//!
//! Topics: `Waiting`, `Mate`. It says what a claim of mate would rest on.

use rules::{
    BoardState,
    rulebook::{Finding, terms::Waiting},
};

use super::about_last_plies;
use crate::{alert::Alert, case::Case, names};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    about_last_plies(case, Finding::BlockableCheck, |_, ply| {
        let is_stopped = case.clocks.stopped_us(ply.report.board).is_some();
        (is_stopped && ply.state == BoardState::BlockableCheck).then(|| {
            let may_wait = match case.terms().waiting {
                Waiting::OnMove | Waiting::InBlockableCheck => "may wait for it",
                Waiting::NobodySupplies => "has nobody to wait for",
            };
            format!(
                "Board {}: play stopped after {}. It is check without a legal reply, and a piece from the partner \
                 could still block: not mate while time remains. {} {may_wait}.",
                ply.report.board,
                ply.san,
                names::side(ply.report.side.other())
            )
        })
    })
}
