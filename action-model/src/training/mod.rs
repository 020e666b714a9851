//! Learning what players choose from records of what they chose.
//!
//! A pure function from matches, weights to start from and options to weights: no threads, no clock, no
//! files; progress is told to a callback. Every choice of a match counts: the ply that was played among
//! all that could have been, so that what was not done is learnt from as well.

mod evaluation;
mod forward;
mod gradient;
mod listing;
mod matches;
mod optimiser;
mod train;

pub use evaluation::{Evaluation, Share};
#[cfg(test)]
pub(crate) use gradient::surprise;
pub use matches::{Example, TrainingMatch};
pub use train::{Progress, Trained, TrainingOptions, fine_tune, train};
