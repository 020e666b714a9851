//! Draws: repeated positions, material, endings that the book names.
//!
//! Topics: `MatingMaterial`, `IdenticalPieces`, `OppositeBishops`, `StoppedPawn`, `RookAndRookPawn`.

use rules::{
    BoardId, Color, Ply, Position, Rank, Reserve, Supply,
    draw::{DrawnEnding, FIFTY_MOVES_PLIES, FIVEFOLD, Repetitions, THREEFOLD, TwoKnights},
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

/// Whether the board's position after the ply at `index` stood for the fifth time.
pub(crate) fn is_fivefold(case: &Case<'_>, board: BoardId, index: usize) -> bool {
    occurrences(case.timeline, board, index) >= FIVEFOLD
}

/// What makes the position after the ply at `index` illegal and made the one before it illegal, too.
pub(crate) fn illegal_position(
    case: &Case<'_>,
    board: BoardId,
    index: usize,
) -> Option<&'static str> {
    let (_, before) = case.timeline.on_board(board).take_while(|&(at, _)| at < index).last()?;
    let now = case.timeline.plies()[index].after.boards.position(board);
    let both = [before.after.boards.position(board), now];
    let both_in_check = |position: &&Position| {
        Color::ALL.into_iter().all(|side| position.attackers_of_king(side).any())
    };
    if both.iter().all(both_in_check) {
        return Some("both kings are in check");
    }
    let has_pawn = |position: &&Position| has_pawn_on_last_rank(position);
    both.iter().all(has_pawn).then_some("a pawn is on its last rank")
}

fn has_pawn_on_last_rank(position: &Position) -> bool {
    let last = |color: Color| match color {
        Color::White => Rank::Eighth,
        Color::Black => Rank::First,
    };
    let on_last = |color: Color| {
        let pawns = position.board().by_piece(color.pawn());
        pawns.into_iter().any(|square| square.rank() == last(color))
    };
    Color::ALL.into_iter().any(on_last)
}

/// Plies of the side to move after which the board's position would stand for the third time.
pub(crate) fn repeating_ply(case: &Case<'_>, board: BoardId) -> Option<Ply> {
    let mut stood = Repetitions::default();
    stood.take(case.timeline.start().position(board));
    for (_, ply) in case.timeline.on_board(board) {
        stood.take(ply.after.boards.position(board));
    }
    legal_plies(case, board).into_iter().find(|&ply| {
        let mut after = case.timeline.now().boards.position(board).clone();
        after.play_with(ply, Supply::Nobody);
        stood.clone().note(&after) >= THREEFOLD
    })
}

/// A ply of the side to move that completes fifty moves without a capture or a pawn move.
pub(crate) fn fiftieth_ply(case: &Case<'_>, board: BoardId) -> Option<Ply> {
    legal_plies(case, board).into_iter().find(|&ply| {
        let mut after = case.timeline.now().boards.position(board).clone();
        after.play_with(ply, Supply::Nobody);
        after.halfmove_clock() >= FIFTY_MOVES_PLIES
    })
}

fn legal_plies(case: &Case<'_>, board: BoardId) -> Vec<Ply> {
    let mut plies = Vec::new();
    case.timeline.now().boards.position(board).legal_plies(&Reserve::EMPTY, &mut plies);
    plies
}

/// Whether a side has what the book wants to mate with; always where it wants nothing.
pub(crate) fn can_mate(case: &Case<'_>, position: &Position, side: Color) -> bool {
    match case.terms().material {
        None => true,
        Some(MatingMaterial::TwoMinors) => position.has_mating_material(side, TwoKnights::Suffice),
        Some(MatingMaterial::TwoMinorsButKnights) => {
            position.has_mating_material(side, TwoKnights::DoNotSuffice)
        }
        Some(MatingMaterial::PossibleMate) => !position.has_insufficient_material(side),
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
