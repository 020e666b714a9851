//! Score of a tracker: its inference against the truth.
//!
//! Both sides are lines of the fixed file formats, so that any tracker can be scored, the hobby
//! board of [`crate::baseline`] included. Everything here is a pure function of those lines.
//!
//! # What counts
//!
//! The plies of each board are aligned as two sequences (see [`align`]), so that a missed or an
//! invented ply costs one ply and not the rest of the match. A truth ply then is
//!
//! - *right* at a stage when the ply aligned with it has the same side and the same UCI text in that
//!   stage's answer (live, eight plies later, end of match);
//! - *right in squares* when side, from-square and to-square (drop square) agree; the role of a drop
//!   and of a promotion are not looked at;
//! - a *drop type* or a *promotion type* is right when the whole ply is right: a drop on a wrong
//!   square counts as a wrong type.
//!
//! A missing live answer is a wrong one. A missing lag-8 answer is a wrong one too, except where
//! fewer than eight plies of the match followed: there the answer at the end stands in for it.
//!
//! A match is *exact* when every ply is right at the end and none is invented, *exact in squares*
//! likewise. It is *lost* when a tournament director could not take the record for what was played:
//! on some board fewer than half of its plies (of the truth's or the tracker's, whichever are more)
//! are right in squares, or fewer than half of its last [`LOST_TAIL_PLIES`] are. *Lost live* is the
//! same said of the live answers, that is, of what spectators saw.
//!
//! Intervals are Wilson's at 95 %. They take plies for independent, which within one match they are
//! not: read them as lower bounds on the uncertainty.

mod alignment;
mod anomalies;
mod answered;
mod calibration;
mod files;
mod frontier;
mod interview;
mod match_score;
mod report;
mod share;
mod table;
#[cfg(test)]
mod tests;

pub use alignment::{Step, align};
pub use anomalies::{ANOMALY_WINDOW_US, AnomalyScore, Noticed, noticed};
pub use answered::Answered;
pub use calibration::{Calibration, CalibrationBin};
pub use files::{ScoreFilesError, score_directories};
pub use frontier::{Frontier, Operating, Trade};
pub use interview::{Round, answer, interview};
pub use match_score::{ByStage, Delays, LOST_TAIL_PLIES, Score, score_match};
pub use report::{GroupReport, MatchRecord, MatchReport, Report};
pub use share::Share;

use rules::BoardId;

/// Plies of one board above which a file is refused: the alignment is quadratic.
pub const MAX_PLIES_PER_BOARD: usize = 4_000;

/// Lines that cannot be scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// More plies than any match has.
    #[error(
        "{match_id}: board {board} has {plies} {file} plies, over the limit of {MAX_PLIES_PER_BOARD}: \
         is this one match?"
    )]
    TooLong {
        /// The match.
        match_id: String,
        /// The board.
        board: BoardId,
        /// `truth` or `inferred`.
        file: &'static str,
        /// Number of plies of the board.
        plies: usize,
    },
}
