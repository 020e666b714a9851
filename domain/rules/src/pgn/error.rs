//! Errors of a record, each with its place and its cure.

use crate::{fen::FenError, san::SanError};

use super::{PLIES_MAX, TAGS_MAX};

/// One game of a file could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}, line {line}{}: {reason}", after(*.plies))]
pub struct PgnError {
    /// The game's place in the file, from 1.
    pub game: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// Number of plies read before it.
    pub plies: usize,
    /// Reason.
    pub reason: PgnReason,
}

fn after(plies: usize) -> String {
    match plies {
        0 => String::new(),
        1 => ", after 1 ply".to_owned(),
        _ => format!(", after {plies} plies"),
    }
}

/// Error of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PgnReason {
    /// The file has no game in it.
    #[error(
        "there is no game in it: a game begins with tags such as [Event \"…\"], then moves such as 1. e4 e5. Is this a PGN file?"
    )]
    NoGame,
    /// A tag without which the game cannot be set up is none that can be read.
    #[error("{0:?} is no tag: write it as [Name \"value\"]")]
    Tag(String),
    /// There are too many tags.
    #[error("a game has more than {TAGS_MAX} tags; check that this is a PGN file")]
    Tags,
    /// The position to start from cannot be read.
    #[error(
        "the FEN tag is wrong: {0}; correct it, or remove it to start from the initial position"
    )]
    Fen(#[from] FenError),
    /// The game is not chess as it is played over the board.
    #[error("a game of the variant {0:?} is not read here: only standard chess is")]
    Variant(String),
    /// A move's text cannot be understood in the position.
    #[error("{number} {source}; correct the move, or the order of the moves before it")]
    San {
        /// The move number, such as `12.` or `12...`.
        number: String,
        /// Error of its text.
        source: SanError,
    },
    /// A null move stands for a move.
    #[error(
        "{number} {text:?} is a null move, which is no legal move; write the move that was made, or end the game before it"
    )]
    NullMove {
        /// The move number, such as `12.` or `12...`.
        number: String,
        /// The null move as written.
        text: String,
    },
    /// A move is illegal.
    #[error("{number} {text} is illegal: {explanation}; correct it or the moves before it")]
    Illegal {
        /// The move number, such as `12.` or `12...`.
        number: String,
        /// The move as written.
        text: String,
        /// Reason why it is illegal, in words.
        explanation: &'static str,
    },
    /// There are too many moves.
    #[error("a game has more than {PLIES_MAX} plies, which no game of chess can have")]
    Plies,
    /// A comment's brace never closes.
    #[error("the comment opened with \"{{\" here never closes; the file may have been cut off")]
    OpenComment,
    /// The game has no result at its end.
    #[error(
        "the game ends without a result; the file may have been cut off, or a variation opened with \
         \"(\" never closes: add 1-0, 0-1, 1/2-1/2 or *"
    )]
    NoResult,
}
