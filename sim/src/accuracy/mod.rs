//! The bench: how right the tracker is for every kind of sensor, player and prior, and how sure that is.
//!
//! A [`Setting`] says what sits at the table: sensors and players. In it a recorded game is performed with simulated hands once
//! a seed, and each [`Contender`] (the tracker with one prior, or the hobby board) follows the readings; the result is a
//! [`Tally`]. Tallies add up over seeds and games.
//!
//! The same game played by other hands is not another game: the players' choices are the same, and they cause most of a
//! tracker's errors. So games, not plies and not performances, are the independent units here: intervals come from drawing
//! games anew with replacement (the cluster bootstrap, see [`Interval`]). A prior must not be measured on its training games:
//! [`Folds`] splits games, and a contender has a prior for each fold.
//!
//! Everything here is measured one match after the other; `examples/accuracy` runs the matrix in
//! parallel and writes the document.

mod chart;
mod document;
mod effort;
mod figure;
mod folds;
mod goals;
mod interval;
mod matrix;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
mod trial;

pub use document::{
    PART_BEGINS, PART_ENDS, Provenance, files, fill, fill_part, fixed_part, part_of, summary,
    with_part,
};
pub use effort::{Effort, Steps, TIMES};
pub use figure::Figure;
pub use folds::Folds;
pub use goals::{Verdict, verdicts};
pub use interval::Interval;
pub use matrix::{Cell, Matrix, Row};
pub use tally::{QUESTIONS, Single, Tally};
pub use trial::{Contender, Mind, Setting, Trial, TrialError};
