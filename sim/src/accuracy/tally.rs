//! The counts of one or many performances in one cell of the matrix.

use std::ops::AddAssign;

use serde::Serialize;

use crate::score::{Score, Share};

/// After how many answers the records are looked at again.
pub const QUESTIONS: [usize; 3] = [1, 3, 5];

/// What tracking cost. Time is that of the processor, so that a busy machine does not count twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Effort {
    /// True plies.
    pub plies: u64,
    /// Time for all readings and the end of the match, nanoseconds.
    pub tracking_ns: u64,
    /// Longest time for a single reading, nanoseconds.
    pub worst_step_ns: u64,
    /// Longest time to end a match, in which all is answered anew, nanoseconds.
    pub worst_finish_ns: u64,
    /// Time a ply in the match where it was longest, nanoseconds.
    pub worst_match_ns_per_ply: u64,
    /// Most memory that a tracker said it held after a press, bytes.
    pub memory_bytes: usize,
}

impl Effort {
    /// Time a ply on average, milliseconds; none without plies.
    #[must_use]
    pub fn ms_per_ply(&self) -> Option<f64> {
        (self.plies > 0).then(|| self.tracking_ns as f64 / 1e6 / self.plies as f64)
    }
}

impl AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.plies += other.plies;
        self.tracking_ns += other.tracking_ns;
        self.worst_step_ns = self.worst_step_ns.max(other.worst_step_ns);
        self.worst_finish_ns = self.worst_finish_ns.max(other.worst_finish_ns);
        self.worst_match_ns_per_ply = self.worst_match_ns_per_ply.max(other.worst_match_ns_per_ply);
        self.memory_bytes = self.memory_bytes.max(other.memory_bytes);
    }
}

/// What came of one performance, or of many.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// How many performances.
    pub matches: u64,
    /// What was right.
    pub score: Score,
    /// What it cost.
    pub effort: Effort,
    /// Matches right in every ply after so many answered questions as [`QUESTIONS`] says; empty where
    /// nobody was asked.
    pub exact_after: [Share; QUESTIONS.len()],
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.matches += other.matches;
        self.score += &other.score;
        self.effort += other.effort;
        for (sum, more) in self.exact_after.iter_mut().zip(other.exact_after) {
            *sum += more;
        }
    }
}
