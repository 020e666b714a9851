//! The result at the end of a game's moves.

use std::fmt;

/// How a game of chess ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    White,
    /// `0-1`
    Black,
    /// `1/2-1/2`
    Draw,
    /// `*`: still being played, or not known.
    #[default]
    Unknown,
}

impl GameResult {
    /// The result that `text` is, if it is one. Zeros may be letters, as some people type them.
    #[must_use]
    pub fn parse(text: &str) -> Option<GameResult> {
        match text {
            "1-0" | "1-O" => Some(GameResult::White),
            "0-1" | "O-1" => Some(GameResult::Black),
            "1/2-1/2" | "1/2" | "½-½" => Some(GameResult::Draw),
            "*" => Some(GameResult::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        })
    }
}
