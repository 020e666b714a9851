//! `double-press`: a player pressed a clock whose other side was running already.
//!
//! ```text
//! confidence = p(no ply was made and none was due)
//! ```
//!
//! There is a finding only if the press before it on this board was by the same player. Only clocks
//! with buttons show such a press: the lever of a side that is down does not move.
//!
//! Serves the topic clock not started. It is no offence where the first press did not start the
//! opponent's clock; many presses in a row disturb the opponent.

use crate::anomaly::findings::finding::prelude::*;

/// A finding for a press that followed one by the same player, without a ply in between.
pub(crate) fn double_press(context: DetectorContext<'_>) -> Option<Finding> {
    let DetectorContext { layer, answer, presses, .. } = context;
    let presser = layer.presser?;
    let (previous, previous_us) = presses.previous_press?;
    if previous != presser || answer.nothing <= 0.0 {
        return None;
    }
    let after = words::seconds(layer.t_us.saturating_sub(previous_us));
    let (side, board, p) = (words::side(presser), layer.board, words::percent(answer.nothing));
    let evidence = format!(
        "{side} pressed the clock of board {board} again after {after} s, and nothing had been played \
             (probability {p})."
    );
    Some(Finding::new(AnomalyCode::DoublePress, layer.t_us, answer.nothing, evidence).by(presser))
}
