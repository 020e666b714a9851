//! One of a table's two boards: every reading, ply and judgment carries it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One of the two boards of a table. Single-board games use board A alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BoardId {
    /// The board at which team 1 has White.
    A,
    /// The board at which team 1 has Black.
    B,
}

impl BoardId {
    /// Both boards, A first.
    pub const ALL: [BoardId; 2] = [BoardId::A, BoardId::B];

    /// The partner board.
    #[must_use]
    pub const fn other(self) -> BoardId {
        match self {
            BoardId::A => BoardId::B,
            BoardId::B => BoardId::A,
        }
    }

    /// 0 for A, 1 for B.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for BoardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoardId::A => "A",
            BoardId::B => "B",
        })
    }
}

/// A board name that is neither `A` nor `B`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("board {0:?} does not exist: a table has the boards \"A\" and \"B\"")]
pub struct ParseBoardIdError(String);

impl FromStr for BoardId {
    type Err = ParseBoardIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "A" => Ok(BoardId::A),
            "B" => Ok(BoardId::B),
            other => Err(ParseBoardIdError(other.to_owned())),
        }
    }
}
