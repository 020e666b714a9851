//! Effect of answered questions on records.

use std::{fmt, ops::AddAssign};

use readings::TruthLine;
use serde::Serialize;

use super::{Round, ScoreError, Share, score_match};

/// Scores of records before any answer, after one, after two, and so on; of one match, or summed over several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answered {
    /// By number of questions: matches whose every ply is right, none invented.
    pub exact: Vec<Share>,
    /// By number of questions: how many the tracker itself expects to be so, the sum of its probabilities.
    pub expected: Vec<f64>,
    /// By number of questions: plies right in full.
    pub plies: Vec<Share>,
}

impl Answered {
    /// Scores what [`interview`](super::interview) gave. `match_id` appears in errors.
    ///
    /// # Errors
    ///
    /// As [`score_match`].
    pub fn score(
        match_id: &str,
        truth: &[TruthLine],
        rounds: &[Round],
    ) -> Result<Answered, ScoreError> {
        let mut answered = Answered::default();
        for round in rounds {
            let score = score_match(match_id, truth, &round.record)?;
            answered.exact.push(score.exact);
            answered.expected.push(round.p);
            answered.plies.push(score.plies.end);
        }
        Ok(answered)
    }

    /// Number of matches that are exact after a number of questions; none if fewer were asked.
    #[must_use]
    pub fn exact_after(&self, questions: usize) -> Option<Share> {
        self.exact.get(questions).copied()
    }
}

impl AddAssign<&Answered> for Answered {
    fn add_assign(&mut self, other: &Answered) {
        for (sums, more) in [(&mut self.exact, &other.exact), (&mut self.plies, &other.plies)] {
            sums.resize(sums.len().max(more.len()), Share::default());
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += *more;
            }
        }
        self.expected.resize(self.expected.len().max(other.expected.len()), 0.0);
        for (sum, more) in self.expected.iter_mut().zip(&other.expected) {
            *sum += more;
        }
    }
}

/// A line for each number of questions.
impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "questions   matches exact            expected   plies right")?;
        let columns = self.exact.iter().zip(&self.expected).zip(&self.plies);
        for (questions, ((exact, expected), plies)) in columns.enumerate() {
            let percent = |share: &Share| 100.0 * share.value().unwrap_or(0.0);
            writeln!(
                f,
                "{questions:>9}   {:>5} of {:<5} {:>5.1} %   {expected:>8.1}   {:>7} of {:<7} {:>6.2} %",
                exact.right,
                exact.of,
                percent(exact),
                plies.right,
                plies.of,
                percent(plies)
            )?;
        }
        Ok(())
    }
}
