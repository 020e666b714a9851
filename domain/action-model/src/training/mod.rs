//! Training: the weights of the learnt prior from recorded matches.
//!
//! It is a pure function from matches, first weights and options to weights: it uses no threads, no clock and no
//! files, and it reports progress to a callback. Every choice of a match counts: the ply that was played among all
//! possible actions. So the model also learns from the actions that were not chosen.

mod evaluation;
mod gradient;
mod matches;
mod optimiser;
mod train;

pub use evaluation::cross_entropy;
pub use matches::{Example, Lesson, TrainingMatch};
pub use train::{Progress, Trained, TrainingOptions, fine_tune, train};

#[cfg(test)]
pub(crate) use gradient::surprise;
