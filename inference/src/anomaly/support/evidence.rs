//! What is known about one closed segment beside its squares, kept for as long as its findings may change.

use rules::Color;

/// The presses around one segment of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressContext {
    /// The press before it on this board.
    pub(crate) previous_press: Option<(Color, u64)>,
    /// The press after it on this board, if there was one yet.
    pub(crate) next_press: Option<(Color, u64)>,
    /// Probability that no ply belonged to the press before it, as believed now.
    pub(crate) previous_was_bare: f64,
    /// How long after the press before it that press came, microseconds, if that was the other player's.
    pub(crate) previous_after_us: Option<u64>,
}
