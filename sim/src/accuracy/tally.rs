//! The counts of one or many performances in one cell of the matrix.

use std::ops::AddAssign;

use serde::Serialize;

use crate::score::{Score, Share};

/// Numbers of answers after which the records are scored again.
pub const QUESTIONS: [usize; 3] = [1, 3, 5];

/// Result of one performance, or of many.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Number of performances.
    pub matches: u64,
    /// Score.
    pub score: Score,
    /// Maximum memory of a tracker after a press, bytes.
    pub memory_bytes: usize,
    /// Each performance by itself.
    #[serde(skip)]
    pub each: Vec<Single>,
    /// Matches right in every ply after the numbers of answers in [`QUESTIONS`]; empty where no questions were asked.
    pub exact_after: [Share; QUESTIONS.len()],
}

/// One performance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single {
    /// Plies right in squares at the end, 0 to 1.
    pub squares_end: f64,
    /// Plies right in full at the end, 0 to 1.
    pub plies_end: f64,
    /// Drops right in type and square, as first published and at the end, 0 to 1; none where nothing was dropped.
    pub drops: Option<(f64, f64)>,
    /// Reports that stand at the end and of which nothing happened.
    pub false_reports: u64,
    /// Reports ever made, taken back or not, of which nothing happened.
    pub false_shown: u64,
}

impl Single {
    /// Result of a performance.
    #[must_use]
    pub fn of(score: &Score) -> Single {
        let wrong = |share: Share| share.of - share.right;
        let anomalies = score.anomalies.values();
        let drops = &score.drop_types;
        Single {
            squares_end: score.squares.end.value().unwrap_or(1.0),
            plies_end: score.plies.end.value().unwrap_or(1.0),
            drops: drops.live.value().zip(drops.end.value()),
            false_reports: anomalies.clone().map(|anomaly| wrong(anomaly.precision)).sum(),
            false_shown: anomalies.map(|anomaly| wrong(anomaly.shown)).sum(),
        }
    }
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.matches += other.matches;
        self.score += &other.score;
        self.each.extend_from_slice(&other.each);
        self.memory_bytes = self.memory_bytes.max(other.memory_bytes);
        for (sum, more) in self.exact_after.iter_mut().zip(other.exact_after) {
            *sum += more;
        }
    }
}
