//! Warnings about a record that was read.

use std::fmt;

/// Maximum number of warnings that are kept of one game.
pub const WARNINGS_MAX: usize = 32;

/// A part of a record that was skipped or decided without certainty. The game is read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordWarning {
    /// The line of the file, from 1.
    pub line: usize,
    /// Reason.
    pub reason: WarningReason,
}

/// Reason of a warning about a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WarningReason {
    /// A tag cannot be read.
    #[error("{0:?} is no tag and was skipped: write it as [Name \"value\"]")]
    Tag(String),
    /// A tag occurs twice with different values.
    #[error("the tag {0} occurs twice with different values; the first one counts")]
    TagAgain(String),
    /// There is text above the first game.
    #[error("the text above the first game was skipped")]
    Prose,
    /// The moves end without a result.
    #[error(
        "the moves end without a result, so that of the Result tag counts; the file may have been cut off"
    )]
    ResultFromTag,
    /// The Result tag and the result behind the moves contradict each other.
    #[error(
        "the Result tag has {tag} and the moves end with {moves}; {moves} counts unless it is *"
    )]
    ResultsDiffer {
        /// The tag's value.
        tag: String,
        /// The word behind the moves.
        moves: &'static str,
    },
    /// The ending's words and the written result contradict each other.
    #[error("{0:?} contradicts the written result, so the record names no loser")]
    Contradiction(String),
}

impl fmt::Display for RecordWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Adds a warning, unless there are [`WARNINGS_MAX`].
pub(crate) fn push(warnings: &mut Vec<RecordWarning>, line: usize, reason: WarningReason) {
    if warnings.len() < WARNINGS_MAX {
        warnings.push(RecordWarning { line, reason });
    }
}
