//! What of a match bears on draws: repeated positions, moves without progress, material.

use rules::{
    BoardId, Color, Position,
    draw::{Repetitions, TwoKnights},
    rulebook::terms::{DrawRule, MatingMaterial},
};

use crate::{case::Case, timeline::Timeline};

/// How often the position of a board after the ply at `index` has stood up to then, the plies that were undone left
/// out.
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
