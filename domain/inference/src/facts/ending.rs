//! The end of a match, as people tell it. Only a mate says something about the boards.

use std::fmt;

use rules::{BoardId, Color};
use serde::{Deserialize, Serialize};

/// The ways a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchResult {
    /// Checkmate. Only this result says something about the position.
    Mate,
    /// Resignation.
    Resigns,
    /// Loss on time.
    Flag,
    /// Draw.
    Draw,
    /// People decided it before a ply of it was known: a forfeit, or a game that nobody followed.
    Decided,
}

/// Ending of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndingFact {
    /// The result.
    pub result: MatchResult,
    /// The board, if known.
    pub board: Option<BoardId>,
    /// The side that was mated, resigned or ran out of time, if known.
    pub side: Option<Color>,
}

impl fmt::Display for EndingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.result {
            MatchResult::Mate => "the result was mate",
            MatchResult::Resigns => "the result was a resignation",
            MatchResult::Flag => "the result was a fallen flag",
            MatchResult::Draw => "the result was a draw",
            MatchResult::Decided => "the match was decided without a ply",
        })?;
        if let Some(board) = self.board {
            write!(f, " on board {board}")?;
        }
        if let Some(side) = self.side {
            write!(f, " against {}", if side.is_white() { "White" } else { "Black" })?;
        }
        Ok(())
    }
}
