//! Calibration of stated probabilities: of the answers given with 70 %, 70 % should be right.

use std::ops::AddAssign;

use serde::Serialize;

use super::Share;

/// Lower edges of the bins; the last ends at 1, inclusive. Finer where trackers mostly are.
const EDGES: [f64; 13] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 0.999];

/// Answers whose probability fell into one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Lower edge, inclusive.
    pub from: f64,
    /// Number of answers.
    pub answers: u64,
    /// Number of right ones.
    pub right: u64,
    /// Sum of their probabilities: over `answers`, what the share of right ones should be.
    pub sum_p: f64,
}

/// Reliability of the top answer, over every ply a tracker gave: an invented one is a wrong answer,
/// a missed one has no probability and is not in here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The bins, in ascending order.
    pub bins: Vec<CalibrationBin>,
    /// Sum of (p − right)² over the answers.
    pub sum_squared_error: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        let bins = EDGES.map(|from| CalibrationBin { from, ..CalibrationBin::default() });
        Calibration { bins: bins.to_vec(), sum_squared_error: 0.0 }
    }
}

impl Calibration {
    /// Counts one answer with its probability, which is clamped to 0 to 1.
    pub fn count(&mut self, p: f64, right: bool) {
        let p = if p.is_nan() { 0.0 } else { p.clamp(0.0, 1.0) };
        let bin = EDGES.iter().rposition(|&from| p >= from).unwrap_or(0);
        let bin = &mut self.bins[bin];
        bin.answers += 1;
        bin.right += u64::from(right);
        bin.sum_p += p;
        self.sum_squared_error += (p - if right { 1.0 } else { 0.0 }).powi(2);
    }

    /// Number of answers.
    #[must_use]
    pub fn answers(&self) -> u64 {
        self.bins.iter().map(|bin| bin.answers).sum()
    }

    /// Share of right answers by their own probabilities: their mean; none without answers.
    #[must_use]
    pub fn expected(&self) -> Option<f64> {
        let answers = self.answers();
        let sum: f64 = self.bins.iter().map(|bin| bin.sum_p).sum();
        (answers > 0).then(|| sum / answers as f64)
    }

    /// Share of right answers.
    #[must_use]
    pub fn right(&self) -> Share {
        Share { right: self.bins.iter().map(|bin| bin.right).sum(), of: self.answers() }
    }

    /// Brier score of the top answer, 0 (sure and right) to 1 (sure and wrong); none without answers.
    #[must_use]
    pub fn brier(&self) -> Option<f64> {
        let answers = self.answers();
        (answers > 0).then(|| self.sum_squared_error / answers as f64)
    }
}

impl AddAssign<&Calibration> for Calibration {
    fn add_assign(&mut self, other: &Calibration) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.answers += more.answers;
            bin.right += more.right;
            bin.sum_p += more.sum_p;
        }
        self.sum_squared_error += other.sum_squared_error;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_and_right_scores_zero_and_certain_and_wrong_scores_one() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.brier(), None);
        calibration.count(1.0, true);
        assert_eq!(calibration.brier(), Some(0.0));
        calibration.count(1.0, false);
        assert_eq!(calibration.brier(), Some(0.5));
        assert_eq!(calibration.bins.last().map(|bin| (bin.answers, bin.right)), Some((2, 1)));
    }

    #[test]
    fn honest_answers_expect_as_many_right_ones_as_there_are() {
        let mut calibration = Calibration::default();
        assert_eq!((calibration.expected(), calibration.right().value()), (None, None));
        for right in [true, true, true, false] {
            calibration.count(0.75, right);
        }
        assert_eq!((calibration.expected(), calibration.right().value()), (Some(0.75), Some(0.75)));
    }

    #[test]
    fn every_probability_has_a_bin() {
        let mut calibration = Calibration::default();
        for p in [0.0, 0.1, 0.55, 0.9899, 0.99, 1.0, -3.0, 7.0, f64::NAN] {
            calibration.count(p, true);
        }
        assert_eq!(calibration.answers(), 9);
        assert_eq!(calibration.bins[10].answers, 1, "0.9899 lies between 0.97 and 0.99");
    }
}
