//! The clocks were stopped while the last ply could be claimed.
//!
//! Topics: `IllegalClaim`, `IllegalClaimLapses`. It says what a claim made now would rest on.

use rules::rulebook::Finding;

use super::{about_last_plies, illegal_move};
use crate::{
    alert::Alert,
    case::Case,
    claims::{Window, window},
    names,
};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let mut alerts = about_last_plies(case, Finding::StoppedWithOpenClaim, |index, ply| {
        let stopped_us = case.clocks.stopped_us(ply.report.board)?;
        let is_open = illegal_move::is_illegal(case, ply)
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
            alert.confidence = illegal_move::probability(case, index, ply);
        }
    }
    alerts
}
