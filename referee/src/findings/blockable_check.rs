//! A player in check has no ply, but a supplied piece could still block the check, and the clocks are stopped.
//!
//! Topics: `Waiting`, `Mate`. It says what a claim of mate would rest on.

use rules::{BoardState, rulebook::Finding};

use super::about_last_plies;
use crate::{alert::Alert, case::Case};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    about_last_plies(case, Finding::BlockableCheck, |_, ply| {
        let is_stopped = case.clocks.stopped_us(ply.report.board).is_some();
        (is_stopped && ply.state == BoardState::BlockableCheck).then(|| {
            format!(
                "Board {}: play stopped after {}. It is check without a legal reply, and a piece from the partner \
                 could still block: not mate while time remains.",
                ply.report.board, ply.san
            )
        })
    })
}
