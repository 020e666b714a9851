//! `out-of-turn`: a player's ply stood on the board before the opponent had completed the one before it.
//!
//! Serves the rules by which a ply is complete only when the opponent's clock has been started:
//! `us-chess-bughouse-2018 6` and the same numbers of `mcsc-bughouse` and `uscf-bughouse`. Usually it
//! is impatience of a blink; it is kept apart from a [forgotten press](super::missed_press) by how long the
//! opponent's press took.

use super::support::{
    context::DetectorContext, evidence::PressContext, finding::Finding,
    press_timing::forgotten_share, words,
};
use crate::{answers::marginals::SegmentEstimate, report::AnomalyCode, trellis::Layer};

/// A finding for the second of two plies before one press, or for a player who moved without the turn.
pub(crate) fn out_of_turn(
    layer: &Layer,
    answer: &SegmentEstimate,
    evidence: &PressContext,
    seen: DetectorContext<'_>,
) -> Option<Finding> {
    let presser = layer.presser?;
    let share = 1.0 - forgotten_share(layer, answer, evidence, seen);
    let confidence = answer.answered * share + answer.out_of_turn;
    let slot = answer.plies.len().checked_sub(1)?;
    let ply = &answer.plies[slot];
    if confidence <= 0.0 || (ply.side == presser) != (answer.out_of_turn > answer.answered) {
        return None;
    }
    Some(Finding {
        code: AnomalyCode::OutOfTurn,
        side: Some(ply.side),
        t_us: layer.t_us,
        confidence,
        slot: Some(slot),
        reason: None,
        evidence: format!(
            "{} played {} on board {} before {} had pressed the clock (probability {}).",
            words::side(ply.side),
            words::ply(ply.ply),
            layer.board,
            words::side(ply.side.other()),
            words::percent(confidence),
        ),
    })
}
