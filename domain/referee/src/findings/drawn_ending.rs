//! An ending stands that the book names as drawn.
//!
//! Topics: `IdenticalPieces`, `OppositeBishops`, `StoppedPawn`, `RookAndRookPawn`. A player has to claim it, and the opponent may show a win.

use rules::{
    BoardId,
    draw::DrawnEnding,
    rulebook::{Cite, Finding, Topic, terms::DrawRule},
};

use super::about_last_plies;
use crate::{
    alert::{Alert, ClaimState},
    case::Case,
};

/// An ending that stands on a board, with the clause that names it.
pub(crate) struct Found {
    pub(crate) rule: Option<Cite>,
    pub(crate) says: String,
}

pub(super) fn find(case: &Case<'_>) -> Vec<Alert> {
    let mut rule = None;
    let alerts = about_last_plies(case, Finding::DrawnEnding, |_, ply| {
        let found = named(case, ply.report.board)?;
        rule = found.rule;
        Some(found.says)
    });
    let claim = if case.is_over { ClaimState::Closed } else { ClaimState::Open };
    alerts
        .into_iter()
        .map(|alert| Alert { claim, rule, further: Vec::new(), silent: true, ..alert })
        .collect()
}

/// The drawn ending on a board, if the book draws by it.
pub(crate) fn named(case: &Case<'_>, board: BoardId) -> Option<Found> {
    among(case, board, case.terms().draws)
}

/// The drawn ending on a board that is among some rules.
pub(crate) fn among(case: &Case<'_>, board: BoardId, rules: &[DrawRule]) -> Option<Found> {
    let position = case.timeline.now().boards.position(board);
    let ending = position.drawn_endings().find(|&ending| rules.contains(&rule_of(ending).0))?;
    let rule = case.cite(rule_of(ending).1);
    Some(Found { rule, says: format!("The position is {}.", ending.explanation()) })
}

/// How books write of an ending: as a way to draw and as a topic.
fn rule_of(ending: DrawnEnding) -> (DrawRule, Topic) {
    match ending {
        DrawnEnding::OneIdenticalPieceEach => (DrawRule::IdenticalPieces, Topic::IdenticalPieces),
        DrawnEnding::OppositeBishopsWithOnePawn => {
            (DrawRule::OppositeBishopsWithOnePawn, Topic::OppositeBishops)
        }
        DrawnEnding::OppositeBishopsBlockaded => {
            (DrawRule::OppositeBishopsBlockaded, Topic::OppositeBishops)
        }
        DrawnEnding::RookPawnHeld | DrawnEnding::PawnHeld => {
            (DrawRule::StoppedPawn, Topic::StoppedPawn)
        }
        DrawnEnding::RookAndRookPawnHeld => (DrawRule::RookAndRookPawn, Topic::RookAndRookPawn),
    }
}
