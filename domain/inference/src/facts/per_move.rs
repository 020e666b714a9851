//! What a clock gives for each move from a time on, because a director had it changed.
//!
//! Readings do not show when a clock took it: a command takes a moment, a hand may take a minute.
//! So from the time of the fact on the detectors believe a clock that goes by the old or by the
//! new.

use std::fmt;

use rules::{BoardId, PerMove};

/// What a board's clock gives for each move from a time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerMoveFact {
    /// The board.
    pub board: BoardId,
    /// From when on, microseconds since the trace began.
    pub t_us: u64,
    /// What it gives.
    pub per_move: PerMove,
}

impl fmt::Display for PerMoveFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the clock of board {} was given another delay: {}", self.board, self.per_move)
    }
}
