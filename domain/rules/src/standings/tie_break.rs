//! The tie-breaks by name, and the orders in which they are applied.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A way to rank entrants with equal scores. More is better in all of them.
///
/// The definitions are those of `uscf-tiebreaks`. Where that text is silent, above all about the rounds that the tied
/// player did not play, the usual treatment of US Chess (rule 34 of its rulebook) is used, and the module that
/// computes the tie-break says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// Opponents' adjusted scores without the least telling of them: the lowest for a score above half, the highest
    /// for one below, both for one of exactly half.
    ModifiedMedian,
    /// Opponents' adjusted scores, all of them.
    Solkoff,
    /// The sum of the running score after each round.
    Cumulative,
    /// The sum of the opponents' [`TieBreak::Cumulative`].
    CumulativeOfOpposition,
    /// Opponents' adjusted scores without the highest and the lowest; also called Harkness.
    Median,
    /// Scores of the opponents beaten, and half the scores of those drawn with.
    SonnebornBerger,
    /// Game points where match points are the score, match points where game points are.
    GameMatchPoints,
    /// For each round: the points of its games times the opponent's final score.
    UsAmateurTeam,
    /// The order of a coin toss that was held and recorded.
    CoinToss,
}

/// For players in a Swiss system: what `nc-scholastic 19` prescribes and what US Chess recommends (34E).
pub const INDIVIDUAL_SWISS_ORDER: &[TieBreak] = &[
    TieBreak::ModifiedMedian,
    TieBreak::Solkoff,
    TieBreak::Cumulative,
    TieBreak::CumulativeOfOpposition,
    TieBreak::CoinToss,
];

/// For teams that are paired as teams: what `nc-scholastic 19` prescribes.
pub const TEAM_SWISS_ORDER: &[TieBreak] =
    &[TieBreak::GameMatchPoints, TieBreak::UsAmateurTeam, TieBreak::CoinToss];

/// For a round robin, as `uscf-tiebreaks` gives it. A play-off that was announced takes the coin toss's place.
pub const ROUND_ROBIN_ORDER: &[TieBreak] = &[TieBreak::SonnebornBerger, TieBreak::CoinToss];

impl TieBreak {
    /// The usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TieBreak::ModifiedMedian => "Modified Median",
            TieBreak::Solkoff => "Solkoff",
            TieBreak::Cumulative => "Cumulative",
            TieBreak::CumulativeOfOpposition => "Cumulative of Opposition",
            TieBreak::Median => "Median",
            TieBreak::SonnebornBerger => "Sonneborn-Berger",
            TieBreak::GameMatchPoints => "Game/Match Points",
            TieBreak::UsAmateurTeam => "US Amateur Team",
            TieBreak::CoinToss => "Coin Toss",
        }
    }

    /// Whether it needs teams that meet as teams, so that a [`super::Club`] has no value for it.
    #[must_use]
    pub const fn needs_matches(self) -> bool {
        matches!(self, TieBreak::GameMatchPoints | TieBreak::UsAmateurTeam)
    }
}

impl fmt::Display for TieBreak {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
