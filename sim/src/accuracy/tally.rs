//! The counts of one or many performances in one cell of the matrix.

use std::ops::AddAssign;

use serde::Serialize;

use crate::score::{Score, Share};

/// After how many answers the records are looked at again.
pub const QUESTIONS: [usize; 3] = [1, 3, 5];

/// What came of one performance, or of many.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// How many performances.
    pub matches: u64,
    /// What was right.
    pub score: Score,
    /// Most memory that a tracker said it held after a press, bytes.
    pub memory_bytes: usize,
    /// Matches right in every ply after so many answered questions as [`QUESTIONS`] says; empty where
    /// nobody was asked.
    pub exact_after: [Share; QUESTIONS.len()],
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.matches += other.matches;
        self.score += &other.score;
        self.memory_bytes = self.memory_bytes.max(other.memory_bytes);
        for (sum, more) in self.exact_after.iter_mut().zip(other.exact_after) {
            *sum += more;
        }
    }
}
