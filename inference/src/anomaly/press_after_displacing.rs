//! `press-after-displacing`: the clock was pressed before displaced pieces stood again.
//!
//! Serves the rules that call this unsporting, with a ladder of penalties (`us-chess-bughouse-2018 17`, the same
//! number of the other bughouse books, `us-chess-blitz-2020 9`, `nc-blitz 9`).

use super::{Finding, displaced_pieces::fall, seen::Seen, words};
use crate::{answer::SegmentAnswer, output::AnomalyCode, trellis::Layer};

/// Some of the pieces stood: the others may stand off the middle of their squares, unread.
const SOME_STOOD: f64 = 0.75;
/// None stood.
const NONE_STOOD: f64 = 0.99;

/// A finding for a press while pieces that fell before it were still off their squares.
pub(super) fn press_after_displacing(
    layer: &Layer,
    answer: &SegmentAnswer,
    seen: Seen<'_>,
) -> Option<Finding> {
    let presser = layer.presser?;
    let fall = fall(layer, answer, seen)?;
    let off = fall.pieces.iter().filter(|fallen| fallen.filled_us.is_none()).count();
    if off == 0 {
        return None;
    }
    let unrestored = if off == fall.pieces.len() { NONE_STOOD } else { SOME_STOOD };
    Some(Finding {
        code: AnomalyCode::PressAfterDisplacing,
        side: Some(presser),
        t_us: layer.t_us,
        confidence: fall.confidence() * unrestored,
        slot: answer.plies.iter().rposition(|ply| ply.side == presser),
        reason: None,
        evidence: format!(
            "{} pressed the clock of board {} {} ms after {} pieces had left their squares at once ({}); \
             {off} of them did not stand again.",
            words::side(presser),
            layer.board,
            layer.t_us.saturating_sub(fall.t_us) / 1_000,
            fall.pieces.len(),
            fall.squares(),
        ),
    })
}
