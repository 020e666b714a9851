//! The shares that are reported of a cell.

use crate::score::{Calibration, Share};

use super::tally::Tally;

/// Labels at least this probable are shown without a question mark.
pub(super) const CONFIDENT: f64 = 0.97;

/// A share of matches, plies or labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Figure {
    /// Matches whose record is of no use.
    MatchesLost,
    /// Matches right in every ply.
    MatchesExact,
    /// Matches right in every ply, after one answered question.
    ExactAfterOne,
    /// Matches right in every ply, after three answered questions.
    ExactAfterThree,
    /// Matches right in every ply, after five answered questions.
    ExactAfterFive,
    /// Matches right in all squares.
    MatchesExactInSquares,
    /// Plies right in full, as first published.
    PliesLive,
    /// Plies right in full, eight plies later.
    PliesLag8,
    /// Plies right in full, at the end.
    PliesEnd,
    /// Plies right in squares, as first published.
    SquaresLive,
    /// Plies right in squares, eight plies later.
    SquaresLag8,
    /// Plies right in squares, at the end.
    SquaresEnd,
    /// Drops right in type and square, as first published.
    DropsLive,
    /// Drops right in type and square, eight plies later.
    DropsLag8,
    /// Drops right in type and square, at the end.
    DropsEnd,
    /// Promotions right, at the end.
    PromotionsEnd,
    /// Labels of drops at the end that are at least [`CONFIDENT`], among all labels of drops.
    ConfidentLabels,
    /// Right ones among these.
    ConfidentRight,
}

impl Figure {
    /// All, in the order of the tables.
    pub const ALL: [Figure; 18] = [
        Figure::MatchesLost,
        Figure::MatchesExactInSquares,
        Figure::MatchesExact,
        Figure::ExactAfterOne,
        Figure::ExactAfterThree,
        Figure::ExactAfterFive,
        Figure::SquaresLive,
        Figure::SquaresLag8,
        Figure::SquaresEnd,
        Figure::PliesLive,
        Figure::PliesLag8,
        Figure::PliesEnd,
        Figure::DropsLive,
        Figure::DropsLag8,
        Figure::DropsEnd,
        Figure::PromotionsEnd,
        Figure::ConfidentLabels,
        Figure::ConfidentRight,
    ];

    /// Name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Figure::MatchesLost => "matches lost",
            Figure::MatchesExactInSquares => "matches right in all squares",
            Figure::MatchesExact => "matches right in every ply",
            Figure::ExactAfterOne => "matches right in every ply after one question",
            Figure::ExactAfterThree => "matches right in every ply after three questions",
            Figure::ExactAfterFive => "matches right in every ply after five questions",
            Figure::SquaresLive => "plies right in squares, live",
            Figure::SquaresLag8 => "plies right in squares, 8 plies later",
            Figure::SquaresEnd => "plies right in squares, at the end",
            Figure::PliesLive => "plies right, types too, live",
            Figure::PliesLag8 => "plies right, types too, 8 plies later",
            Figure::PliesEnd => "plies right, types too, at the end",
            Figure::DropsLive => "drop types, live",
            Figure::DropsLag8 => "drop types, 8 plies later",
            Figure::DropsEnd => "drop types, at the end",
            Figure::PromotionsEnd => "promotion types, at the end",
            Figure::ConfidentLabels => "drops labelled with p ≥ 0.97, at the end",
            Figure::ConfidentRight => "right of drops labelled with p ≥ 0.97, at the end",
        }
    }

    /// Number of performances of a game that count for this.
    #[must_use]
    pub const fn performances(self, tally: &Tally) -> u64 {
        match self {
            Figure::ExactAfterOne | Figure::ExactAfterThree | Figure::ExactAfterFive => {
                tally.exact_after[0].of
            }
            _ => tally.matches,
        }
    }

    /// The share in a tally.
    #[must_use]
    pub fn of(self, tally: &Tally) -> Share {
        let score = &tally.score;
        match self {
            Figure::ExactAfterOne => tally.exact_after[0],
            Figure::ExactAfterThree => tally.exact_after[1],
            Figure::ExactAfterFive => tally.exact_after[2],
            Figure::MatchesLost => score.lost,
            Figure::MatchesExact => score.exact,
            Figure::MatchesExactInSquares => score.exact_in_squares,
            Figure::PliesLive => score.plies.live,
            Figure::PliesLag8 => score.plies.lag8,
            Figure::PliesEnd => score.plies.end,
            Figure::SquaresLive => score.squares.live,
            Figure::SquaresLag8 => score.squares.lag8,
            Figure::SquaresEnd => score.squares.end,
            Figure::DropsLive => score.drop_types.live,
            Figure::DropsLag8 => score.drop_types.lag8,
            Figure::DropsEnd => score.drop_types.end,
            Figure::PromotionsEnd => score.promotion_types.end,
            Figure::ConfidentLabels => {
                let labels = &score.drop_calibration.end;
                Share { right: confident(labels).of, of: labels.answers() }
            }
            Figure::ConfidentRight => confident(&score.drop_calibration.end),
        }
    }
}

/// The right ones among the confident answers. [`CONFIDENT`] is an edge of the bins.
pub(super) fn confident(labels: &Calibration) -> Share {
    let mut sum = Share::default();
    for bin in labels.bins.iter().filter(|bin| bin.from >= CONFIDENT) {
        sum += Share { right: bin.right, of: bin.answers };
    }
    sum
}
