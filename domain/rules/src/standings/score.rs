//! Points as integers: scores in halves, tie-break points in quarters. Nothing is rounded, so equal is equal.

use std::{fmt, iter::Sum, ops::Add};

use serde::{Serialize, Serializer};

/// Score of an entrant, in half points; never negative. Shown as `3` or `3½`, serialised in points (`3.5`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(u32);

impl Score {
    /// No points.
    pub const ZERO: Score = Score(0);
    /// Score of a drawn game.
    pub const HALF: Score = Score(1);
    /// Score of a won game.
    pub const ONE: Score = Score(2);

    /// A score of so many half points.
    #[must_use]
    pub const fn from_half_points(half_points: u32) -> Score {
        Score(half_points)
    }

    /// The score in half points.
    #[must_use]
    pub const fn half_points(self) -> u32 {
        self.0
    }

    /// A multiple of this score.
    pub(super) fn times(self, count: u8) -> Score {
        Score(self.0 * u32::from(count))
    }

    /// Half of this score, which must be whole points.
    pub(super) fn halved(self) -> Score {
        Score(self.0 / 2)
    }
}

impl Add for Score {
    type Output = Score;

    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Score>>(scores: I) -> Score {
        scores.fold(Score::ZERO, Add::add)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        TieBreakPoints::from(*self).fmt(formatter)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TieBreakPoints::from(*self).serialize(serializer)
    }
}

/// The value of a tie-break, or one of the terms it is summed from, in quarter points. Some tie-breaks multiply
/// two scores, and half times half is a quarter. Shown as `55¼`, serialised in points (`55.25`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TieBreakPoints(i64);

impl TieBreakPoints {
    /// No points.
    pub const ZERO: TieBreakPoints = TieBreakPoints(0);

    /// The value in quarter points.
    #[must_use]
    pub const fn quarter_points(self) -> i64 {
        self.0
    }

    /// One score times another: half points times half points are quarter points.
    pub(super) fn product(one: Score, other: Score) -> TieBreakPoints {
        TieBreakPoints(i64::from(one.0) * i64::from(other.0))
    }

    /// A rating as an amount.
    pub(super) fn of_rating(rating: u16) -> TieBreakPoints {
        TieBreakPoints(i64::from(rating) * 4)
    }

    /// The average of so many amounts that sum to this one, to whole points, a half upwards; of none it is nothing.
    pub(super) fn average(self, count: i64) -> TieBreakPoints {
        let quarters = count.max(1) * 4;
        TieBreakPoints((self.0 + quarters / 2).div_euclid(quarters) * 4)
    }

    /// The same amount to be taken away.
    pub(super) fn negated(self) -> TieBreakPoints {
        TieBreakPoints(-self.0)
    }
}

impl From<Score> for TieBreakPoints {
    fn from(score: Score) -> TieBreakPoints {
        TieBreakPoints(i64::from(score.0) * 2)
    }
}

impl Add for TieBreakPoints {
    type Output = TieBreakPoints;

    fn add(self, other: TieBreakPoints) -> TieBreakPoints {
        TieBreakPoints(self.0 + other.0)
    }
}

impl Sum for TieBreakPoints {
    fn sum<I: Iterator<Item = TieBreakPoints>>(amounts: I) -> TieBreakPoints {
        amounts.fold(TieBreakPoints::ZERO, Add::add)
    }
}

impl fmt::Display for TieBreakPoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let quarters = self.0.unsigned_abs();
        let fraction = ["", "¼", "½", "¾"][(quarters % 4) as usize];
        match quarters / 4 {
            0 if !fraction.is_empty() => formatter.pad(&format!("{sign}{fraction}")),
            whole => formatter.pad(&format!("{sign}{whole}{fraction}")),
        }
    }
}

impl Serialize for TieBreakPoints {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Quarters are exact in binary, and no event comes near the 2^53 quarters that would not be.
        serializer.serialize_f64(self.0 as f64 / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shown_with_their_fractions() {
        let shown = |half_points| Score::from_half_points(half_points).to_string();
        assert_eq!([0, 1, 6, 7].map(shown), ["0", "½", "3", "3½"]);
        assert_eq!(TieBreakPoints(221).to_string(), "55¼");
        assert_eq!(TieBreakPoints(-4).to_string(), "-1");
        assert_eq!(TieBreakPoints(-2).to_string(), "-½");
        assert_eq!(format!("{:>4}|", Score::from_half_points(7)), "  3½|");
    }

    #[test]
    fn scores_are_serialised_in_points() {
        let score = serde_json::to_string(&Score::from_half_points(7));
        assert_eq!(score.expect("a number"), "3.5");
        let points = serde_json::to_string(&TieBreakPoints(221));
        assert_eq!(points.expect("a number"), "55.25");
    }
}
