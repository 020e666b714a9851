//! The result at the end of a game's moves.

use std::fmt;

use crate::movetext::result::{self, WrittenResult};

/// Result of a game of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    White,
    /// `0-1`
    Black,
    /// `1/2-1/2`
    Draw,
    /// `0-0`: both lost, as by a double forfeit. Written in the `Result` tag alone: among moves it is castling.
    BothLost,
    /// `*`: still being played, or not known.
    #[default]
    Unknown,
}

impl GameResult {
    /// The result that `text` is, if it is one: as the value of a tag, or as the last word of a game.
    #[must_use]
    pub fn parse(text: &str) -> Option<GameResult> {
        result::at_end(text).map(GameResult::from)
    }
}

impl From<WrittenResult> for GameResult {
    fn from(score: WrittenResult) -> GameResult {
        match score {
            WrittenResult::First => GameResult::White,
            WrittenResult::Second => GameResult::Black,
            WrittenResult::Draw => GameResult::Draw,
            WrittenResult::BothLost => GameResult::BothLost,
            WrittenResult::Unknown => GameResult::Unknown,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::BothLost => "0-0",
            GameResult::Unknown => "*",
        })
    }
}
