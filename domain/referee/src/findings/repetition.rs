//! The same position with the same player on move stood for the third time.
//!
//! Topics: `Repetition`. A player has to claim it.

use rules::{
    draw::THREEFOLD,
    rulebook::{Finding, terms::DrawRule},
};

use super::about_last_plies;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
    draws,
};

/// The ways in which books draw by repetition.
const RULES: [DrawRule; 3] =
    [DrawRule::Repetition, DrawRule::RepetitionCounted, DrawRule::RepetitionOnScoreSheet];

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    if !draws::has_any(case, &RULES) {
        return Vec::new();
    }
    let alerts = about_last_plies(case, Finding::Repetition, |index, ply| {
        let stood = draws::occurrences(case.timeline, ply.report.board, index);
        (stood >= THREEFOLD)
            .then(|| format!("After {} the same position has stood {stood} times.", ply.san))
    });
    let claim = if case.is_over { ClaimState::Closed } else { ClaimState::Open };
    alerts.into_iter().map(|alert| Alert { claim, silent: true, ..alert }).collect()
}
