//! `out-of-turn`: a player's ply stood on the board before the opponent had completed the ply before it.
//!
//! ```text
//! confidence = min(AT_MOST, (p(answered) · (1 − share) + p(out of turn)) · k)
//! k = STOOD_UNREAD if the ply's piece was read on its target only after the press, otherwise 1
//! ```
//!
//! p(answered) is the probability that the opponent's ply stood before the press of the first one,
//! p(out of turn) that the presser moved without the turn. `share` is the probability that the
//! press had only been [forgotten](super::missed_press) ([`forgotten_share`]): the time that the
//! press took tells impatience from forgetting.
//!
//! A player who puts the own last ply back on the opponent's time and makes another also moves out
//! of turn; the evidence names both plies.
//!
//! Serves the topic completion: a ply is complete only when the opponent's clock has been started.
//! Usually the offence is impatience of a blink.

use crate::anomaly::{findings::finding::prelude::*, segments::press_timing::forgotten_share};
use crate::hand_times::STOOD_READ_US;

/// Greatest confidence, 0 to 1. Fitted: so many of those that seemed certain were true on drawn
/// scholastic hands, reed boards, seeds 1 to 12.
const AT_MOST: f64 = 0.9;
/// Probability that a piece which was read after the press stood before it. Assumed: it was mostly
/// still in the hand.
const STOOD_UNREAD: f64 = 0.1;

/// A finding for the last ply of the segment: the second of two plies before one press, or the ply
/// of a player who moved without the turn.
pub(crate) fn out_of_turn(context: DetectorContext<'_>) -> Option<Finding> {
    let DetectorContext { layer, answer, .. } = context;
    let presser = layer.presser?;
    let (slot, ply) = answer.plies.iter().enumerate().next_back()?;
    let share = 1.0 - forgotten_share(context);
    let read_late = (layer.t_us, layer.t_us.saturating_add(STOOD_READ_US));
    let is_late = context.way(ply.ply, layer.t_us).is_none()
        && context.history.filled(ply.ply.to(), read_late).next().is_some();
    let stood = if is_late { STOOD_UNREAD } else { 1.0 };
    let confidence = ((answer.answered * share + answer.out_of_turn) * stood).min(AT_MOST);
    if confidence <= 0.0 || (ply.side == presser) != (answer.out_of_turn > answer.answered) {
        return None;
    }
    let (side, other) = (words::side(ply.side), words::side(ply.side.other()));
    let (made, board, p) = (words::ply(ply.ply), layer.board, words::percent(confidence));
    let back = answer.plies.first().filter(|_| answer.is_put_back(0));
    let evidence = match back {
        Some(back) => format!(
            "{side} put the own last move on board {board} back, {}, and played {made} instead (probability {p}).",
            words::ply(back.ply)
        ),
        None => format!(
            "{side} played {made} on board {board} before {other} had pressed the clock (probability {p})."
        ),
    };
    let finding = Finding::new(AnomalyCode::OutOfTurn, layer.t_us, confidence, evidence);
    Some(finding.by(ply.side).at(slot))
}
