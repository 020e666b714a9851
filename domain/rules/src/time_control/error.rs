//! Errors of a time control.

use super::{MAX_BASE_S, MAX_PER_MOVE_S, MAX_PERIOD_MOVES, MAX_PERIODS};

/// Reason why a time control cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeControlError {
    /// There is no period.
    #[error("a time control needs at least one period, such as {{\"base_s\":300}}")]
    NoPeriod,
    /// There are too many periods.
    #[error("{0} periods are too many: at most {MAX_PERIODS} are allowed")]
    Periods(usize),
    /// A period before the last never ends.
    #[error("period {number} has no number of moves: only the last period may go on without one")]
    EndlessPeriod {
        /// The period, counted from 1.
        number: usize,
    },
    /// A number of moves is out of bounds.
    #[error("period {number} asks for {moves} moves: expected 1 to {MAX_PERIOD_MOVES}")]
    Moves {
        /// The period, counted from 1.
        number: usize,
        /// The number of moves.
        moves: u32,
    },
    /// A base time is out of bounds.
    #[error(
        "period {number} has a base time of {base_s} s: expected at most {MAX_BASE_S} s, and at \
         least 1 s without an increment or delay"
    )]
    Base {
        /// The period, counted from 1.
        number: usize,
        /// The base time in seconds.
        base_s: u32,
    },
    /// An increment or delay is out of bounds.
    #[error(
        "a time per move ({name}) of {seconds} s is too long: expected at most {MAX_PER_MOVE_S} s"
    )]
    PerMove {
        /// `increment` or `delay`.
        name: &'static str,
        /// Its length in seconds.
        seconds: u32,
    },
    /// There is both an increment and a delay.
    #[error(
        "an increment of {increment_s} s and a delay of {delay_s} s exclude each other: set one of \
         them to 0"
    )]
    IncrementAndDelay {
        /// The increment in seconds.
        increment_s: u32,
        /// The delay in seconds.
        delay_s: u32,
    },
    /// A field of a PGN `TimeControl` tag cannot be read.
    #[error(
        "{0:?} is no period of a time control: expected seconds (300), seconds with an increment \
         (180+2) or moves in seconds (40/5400+30), separated by \":\""
    )]
    Tag(String),
    /// The periods of a PGN `TimeControl` tag have different increments.
    #[error("the periods of {0:?} have different increments: one for the whole game is supported")]
    Increments(String),
}
