//! Errors of performing a game.

use std::{io, path::PathBuf};

use rules::{BoardId, Game, Ply, TimeControlError};

/// Error of performing a game or of writing its performance.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// Hands cannot make a recorded ply.
    #[error(
        "ply {number} ({ply} at board {board}) cannot be played: {reason}; \
         correct the game's record or leave the game out"
    )]
    Unplayable {
        /// Place in the record, from 1.
        number: usize,
        /// The board.
        board: BoardId,
        /// The ply.
        ply: Ply,
        /// Reason.
        reason: &'static str,
    },
    /// The record starts from a position of its own.
    #[error(
        "the game starts from the position in its FEN tag, but simulated players set up the \
         initial one; leave the game out"
    )]
    StartPosition,
    /// The time control is none.
    #[error(
        "the TimeControl tag {value:?} is not understood: {source}; write seconds such as \"300+0\", or \
         periods such as \"40/5400:1800\" in a game of chess"
    )]
    TimeControl {
        /// The tag's value.
        value: String,
        /// Error of the time control.
        source: TimeControlError,
    },
    /// Bughouse with several periods.
    #[error(
        "the TimeControl tag {0:?} has periods of moves, which bughouse does not know: write seconds such as \
         \"300+0\""
    )]
    BughousePeriods(String),
    /// A delay that cannot be read.
    #[error(
        "the Delay tag {0:?} is not understood: write seconds and kind, \"5 us\" or \"3 bronstein\""
    )]
    Delay(String),
    /// No board has sensors.
    #[error(
        "no board on which {0} is played has sensors: name a kind of sensor for one, as in --sensor A=reed"
    )]
    NoSensors(Game),
    /// A match name that would not stay inside the folder it is written to.
    #[error("{0:?} cannot name a match: use letters, digits, dots, dashes and underscores")]
    MatchId(String),
    /// A name no node can have.
    #[error("{0:?} cannot name a node: use 1 to 32 letters, digits, dots, dashes and underscores")]
    NodeName(String),
    /// A file could not be written.
    #[error("cannot write {path}: {source}; check that the folder exists and has room")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The hall cannot run this fast.
    #[error("speed {0} is out of range: choose more than 0 and at most 100")]
    Speed(f64),
    /// A kind of board that no node reads.
    #[error(
        "no node reads {0} boards: choose reed, hall-polarity or hall-magnitude, or use `twinboard sim` and \
         `twinboard infer`, which do without nodes"
    )]
    NoNode(&'static str),
    /// The hall has no such node.
    #[error("the hall has no node {0:?}")]
    UnknownNode(String),
    /// A table of a hall that plays on request has no game.
    #[error(
        "table {0} has no game to play: give the hall more games, and open it with Hall::start_on_request"
    )]
    NoGame(usize),
    /// The hall is closed, and its devices with it.
    #[error("the hall is closed")]
    Closed,
    /// A device for a simulated node could not be made.
    #[error("cannot set up the serial device {path}: {source}")]
    Device {
        /// The device's link.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
