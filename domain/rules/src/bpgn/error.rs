//! Errors of a record, each with its place and its cure.

use std::fmt;

use crate::{fen::FenError, san::SanError};

use super::BpgnGame;

/// One game of a file could not be read to its end. The other games of the file are not affected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BpgnError {
    /// The game's place in the file, from 1.
    pub game: usize,
    /// Number of plies read before it, both boards together.
    pub plies: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// Reason.
    pub reason: BpgnReason,
    /// The game up to there.
    pub readable: Box<BpgnGame>,
}

/// Error of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BpgnReason {
    /// The file has no game in it.
    #[error(
        "there is no game in it: a game begins with tags such as [Event \"…\"], then plies such \
         as 1A. e4{{180.0}}; check that this is a BPGN file"
    )]
    NoGame,
    /// A tag without which the match cannot be set up is none that can be read.
    #[error("{0:?} is no tag: write it as [Name \"value\"]")]
    Tag(String),
    /// The position to start from cannot be read.
    #[error(
        "the FEN tag is wrong: {0}; correct it, or remove it to start from the initial position"
    )]
    Fen(#[from] FenError),
    /// A ply without move number, board and side.
    #[error("expected a move number such as 12A. or 12b., found {0:?}; correct or remove it")]
    Token(String),
    /// A move number without ply.
    #[error("{0} is followed by no move; complete or remove it")]
    NumberWithoutPly(String),
    /// A ply's text cannot be understood in the position.
    #[error("{number} {source}; correct the ply, or the order of the plies before it")]
    San {
        /// The move number with board and side, such as `12A.`.
        number: String,
        /// Error of its text.
        source: SanError,
    },
    /// A ply is illegal and not marked so.
    #[error(
        "{number} {text} is illegal: {explanation}; correct it or the order of the plies before \
         it, or, if it was played and stood, write {{C:illegal}} after it"
    )]
    Illegal {
        /// The move number with board and side, such as `12A.`.
        number: String,
        /// The ply as written.
        text: String,
        /// Reason why it is illegal, in words.
        explanation: String,
    },
    /// A comment's brace never closes.
    #[error("the comment opened with \"{{\" here never closes; the file may have been cut off")]
    OpenComment,
    /// The game has no result at its end.
    #[error(
        "the game ends without a result; the file may have been cut off: add 1-0, 0-1, 1/2-1/2 or *"
    )]
    NoResult,
}

impl fmt::Display for BpgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)?;
        if !matches!(self.reason, BpgnReason::NoGame | BpgnReason::Tag(_) | BpgnReason::Fen(_)) {
            write!(f, ", after {} plies", self.plies)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for BpgnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.reason)
    }
}
