//! The presses around one closed segment, kept for as long as its findings may change.

use rules::Color;

/// The presses around one segment of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressContext {
    /// The press before it on this board: player and time, microseconds.
    pub(crate) previous_press: Option<(Color, u64)>,
    /// The press after it on this board, if there was one yet: player and time, microseconds.
    pub(crate) next_press: Option<(Color, u64)>,
    /// Probability, as believed now, that the press before it had no ply.
    pub(crate) previous_was_bare: f64,
    /// Time from the press before that one to the press before the segment, microseconds, if the two players differ.
    pub(crate) previous_after_us: Option<u64>,
}
