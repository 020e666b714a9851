//! No sequence of legal plies leads to a mate.
//!
//! Topics: `Drawing`. The game is over without a claim.

use rules::rulebook::{Finding, terms::DrawRule};

use super::about_last_plies;
use crate::{alert::Alert, case::Case, draws};

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    if !draws::has_any(case, &[DrawRule::DeadPosition]) {
        return Vec::new();
    }
    about_last_plies(case, Finding::DeadPosition, |_, ply| {
        let position = ply.after.boards.position(ply.report.board);
        position
            .has_dead_material()
            .then(|| format!("After {} neither side can mate with what is left.", ply.san))
    })
}
