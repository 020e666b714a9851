//! Draws: repeated positions, material, endings that the book names.
//!
//! Topics: `MatingMaterial`, `IdenticalPieces`, `OppositeBishops`, `StoppedPawn`, `RookAndRookPawn`.

use rules::{
    BoardId, Color, Position,
    draw::{DrawnEnding, Repetitions, TwoKnights},
    rulebook::{
        Cite, Topic,
        terms::{DrawRule, MatingMaterial},
    },
};

use crate::{case::Case, timeline::Timeline};

/// Number of occurrences of a board's position after the ply at `index`, without the plies that were undone.
pub(crate) fn occurrences(timeline: &Timeline, board: BoardId, index: usize) -> usize {
    let mut repetitions = Repetitions::default();
    repetitions.take(timeline.start().position(board));
    for (_, ply) in timeline.on_board(board).take_while(|&(at, _)| at <= index) {
        repetitions.take(ply.after.boards.position(board));
    }
    repetitions.latest()
}

/// Whether a side has what the book wants to mate with; always where it wants nothing.
pub(crate) fn can_mate(case: &Case<'_>, position: &Position, side: Color) -> bool {
    match case.terms().material {
        None => true,
        Some(MatingMaterial::TwoMinors) => position.has_mating_material(side, TwoKnights::Suffice),
        Some(MatingMaterial::TwoMinorsButKnights) => {
            position.has_mating_material(side, TwoKnights::DoNotSuffice)
        }
    }
}

/// Whether the book draws a game by one of these rules.
pub(crate) fn has_any(case: &Case<'_>, rules: &[DrawRule]) -> bool {
    case.terms().draws.iter().any(|rule| rules.contains(rule))
}

/// A drawn ending on a board, with the clause that names it.
pub(crate) struct NamedEnding {
    pub(crate) rule: Option<Cite>,
    pub(crate) says: String,
}

/// The drawn ending on a board, if the book draws by it.
pub(crate) fn named_ending(case: &Case<'_>, board: BoardId) -> Option<NamedEnding> {
    ending_among(case, board, case.terms().draws)
}

/// The drawn ending on a board that is among some rules.
pub(crate) fn ending_among(
    case: &Case<'_>,
    board: BoardId,
    rules: &[DrawRule],
) -> Option<NamedEnding> {
    let position = case.timeline.now().boards.position(board);
    let ending = position.drawn_endings().find(|&ending| rules.contains(&rule_of(ending).0))?;
    let rule = case.cite(rule_of(ending).1);
    Some(NamedEnding { rule, says: format!("The position is {}.", ending.explanation()) })
}

/// Draw rule and topic of an ending.
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
