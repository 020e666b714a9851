//! How a run ended.

use crate::books::{Counts, Violation};

/// How a run ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was read and told.
    pub counts: Counts,
    /// Faults that befell bytes and writes.
    pub line_faults: u64,
    /// From the end of faults and readings until the journal was complete and the node knew it, µs.
    pub settled_after_us: u64,
}

/// How a run ended badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The run's seed.
    pub seed: u64,
    /// Virtual time, µs.
    pub at_us: u64,
    /// What must not have happened.
    pub what: Violation,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {} after {:.6} s: {}", self.seed, self.at_us as f64 / 1e6, self.what)
    }
}

impl std::error::Error for Failure {}
