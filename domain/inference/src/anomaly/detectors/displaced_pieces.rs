//! `displaced-pieces`: pieces that a ply did not concern were knocked off their squares.
//!
//! ```text
//! confidence = MORE_PIECES if more than two pieces fell together, TWO_PIECES if two
//! ```
//!
//! Pieces fall together if they leave their squares within FALL_SURELY_US of the first and stand within
//! ARM of it. Squares of the segment's plies do not count. One hand needs longer than FALL_SURELY_US from
//! piece to piece, so nobody lifted them.
//!
//! Serves the topic displaced pieces: the culprit puts them back on the own time, and the opponent
//! may press without a move meanwhile.

use rules::Bitboard;

use crate::anomaly::{findings::finding::prelude::*, segments::square_history::Absence};
use crate::hand_times::{BEGINS_EARLY_US, FALL_SURELY_US};

/// Longest distance of a fallen piece from the first one, king steps. Assumed: pieces further apart
/// were touched by two hands.
const ARM: u32 = 4;
/// Confidence for two pieces. The doubt: two hands may have lifted them. Assumed.
const TWO_PIECES: f64 = 0.93;
/// Confidence for more pieces. Assumed.
const MORE_PIECES: f64 = 0.99;

/// Pieces that fell together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fall {
    pub(crate) t_us: u64,
    pub(crate) pieces: usize,
    /// Those of them that stand again.
    pub(crate) standing: usize,
    /// Their squares in words.
    pub(crate) squares: String,
    /// The player whose hand was at work.
    pub(crate) culprit: Option<Color>,
    /// The confidence that the fall was an accident, 0 to 1.
    pub(crate) confidence: f64,
}

/// The largest group of pieces that fell together in the segment, if there are at least two.
pub(crate) fn fall(context: DetectorContext<'_>) -> Option<Fall> {
    let DetectorContext { layer, answer, segment, .. } = context;
    let standing = segment.position.occupied() & !context.meant();
    let absences = context.history.absences(standing, (segment.begun_us, layer.t_us));
    let mut pieces: Vec<Absence> = Vec::new();
    for (at, first) in absences.iter().enumerate() {
        let soon = absences[at..]
            .iter()
            .take_while(|later| later.lifted_us <= first.lifted_us + FALL_SURELY_US)
            .filter(|later| later.square.distance(first.square) <= ARM);
        let soon: Vec<Absence> = soon.copied().collect();
        if soon.len() > pieces.len() {
            pieces = soon;
        }
    }
    let squares: Bitboard = pieces.iter().map(|absence| absence.square).collect();
    let t_us = pieces.first()?.lifted_us;
    let mover = answer.plies.last().map(|ply| ply.side).or(layer.presser);
    let culprit = if other_hand_at_work(context, t_us) { mover.map(Color::other) } else { mover };
    (squares.count() >= 2).then(|| Fall {
        t_us,
        pieces: pieces.len(),
        standing: pieces.iter().filter(|fallen| fallen.filled_us.is_some()).count(),
        squares: words::list(pieces.iter().map(|fallen| fallen.square)),
        culprit,
        confidence: if pieces.len() > 2 { MORE_PIECES } else { TWO_PIECES },
    })
}

/// Whether the last piece set down before `t_us` belongs to none of this segment's plies. Then the
/// other player's hand was at work.
fn other_hand_at_work(context: DetectorContext<'_>, t_us: u64) -> bool {
    let from_us = t_us.saturating_sub(BEGINS_EARLY_US).max(context.segment.begun_us);
    let mut before = context.history.between((from_us, t_us.saturating_sub(1)));
    let own = context.meant() | context.segment.position.occupied();
    before.rfind(|event| event.occupied).is_some_and(|event| !own.contains(event.square))
}

/// Whether another piece that no ply concerned left its square together with this one.
pub(crate) fn fell_together(context: DetectorContext<'_>, absence: Absence) -> bool {
    let others = (context.segment.position.occupied() & !context.meant()).without(absence.square);
    let Absence { lifted_us, .. } = absence;
    let mut around = context
        .history
        .between((lifted_us.saturating_sub(FALL_SURELY_US), lifted_us + FALL_SURELY_US));
    around.any(|event| !event.occupied && others.contains(event.square))
}

/// A finding for pieces that fell between two presses.
pub(crate) fn displaced_pieces(context: DetectorContext<'_>) -> Option<Finding> {
    let Fall { t_us, pieces, standing, squares, culprit, confidence } = fall(context)?;
    let board = context.layer.board;
    let evidence = format!(
        "{pieces} pieces on board {board} left their squares at once ({squares}) without being part of a ply; \
             {standing} of them stood again when the clock was pressed."
    );
    Some(Finding::new(AnomalyCode::DisplacedPieces, t_us, confidence, evidence).by(culprit))
}

#[cfg(test)]
mod tests {
    use rules::Square;

    use super::*;
    use crate::anomaly::segments::context::tests::{Table, played, pressed};

    /// White plays a knight to c3, and pieces fall 30 ms later.
    const PLY: [(u64, Square, bool); 2] = [(2_000, Square::B1, false), (2_400, Square::C3, true)];

    fn found(fallen: &[(u64, Square, bool)]) -> Option<Finding> {
        let table = Table::new(&[&PLY, fallen].concat());
        displaced_pieces(table.context(&pressed(5_000), &played("b1c3", 5_000)))
    }

    #[test]
    fn pieces_that_leave_their_squares_at_once_fell() {
        let finding = found(&[
            (2_430, Square::D2, false),
            (2_470, Square::C2, false),
            (3_300, Square::D2, true),
        ])
        .expect("a finding");
        assert_eq!((finding.side, finding.t_us), (Some(Color::White), 2_430_000));
        assert!(finding.evidence.contains("(d2, c2)"), "{}", finding.evidence);
        assert!(finding.evidence.contains("; 1 of them stood again"), "{}", finding.evidence);
    }

    #[test]
    fn pieces_lifted_one_after_the_other_or_far_apart_did_not() {
        assert_eq!(found(&[(2_430, Square::D2, false), (2_700, Square::C2, false)]), None);
        assert_eq!(found(&[(2_430, Square::D2, false), (2_470, Square::H8, false)]), None);
    }

    #[test]
    fn who_moves_when_it_is_not_the_turn_is_the_culprit() {
        let finding = found(&[
            (2_900, Square::E7, false),
            (3_200, Square::E5, true),
            (3_230, Square::D7, false),
            (3_260, Square::F7, false),
        ])
        .expect("a finding");
        assert_eq!(finding.side, Some(Color::Black));
    }
}
