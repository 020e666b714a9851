//! Each side has made fifty moves without a capture or a pawn move.
//!
//! Topics: `FiftyMoves`. A player has to claim it.

use rules::rulebook::{Finding, terms::DrawRule};

use super::about_last_plies;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    draws,
};

/// The ways in which books draw by fifty moves.
const RULES: [DrawRule; 2] = [DrawRule::FiftyMoves, DrawRule::FiftyMovesOnScoreSheet];

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    if !draws::has_any(case, &RULES) {
        return Vec::new();
    }
    let alerts = about_last_plies(case, Finding::FiftyMoves, |_, ply| {
        let position = ply.after.boards.position(ply.report.board);
        position.is_fifty_moves().then(|| {
            let moves = position.halfmove_clock() / 2;
            format!(
                "After {} each side has made {moves} moves without a capture or a pawn move.",
                ply.san
            )
        })
    });
    let claim = if case.is_over { ClaimState::Closed } else { ClaimState::Open };
    alerts.into_iter().map(|alert| Alert { claim, silent: true, ..alert }).collect()
}
