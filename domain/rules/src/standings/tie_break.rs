//! The tie-breaks by name, and the orders in which they are applied.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A way to rank entrants with equal scores. More is better in all of them.
///
/// US Chess's tie-breaks are defined in `uscf-tiebreaks`, FIDE's in its Handbook (C.07 of 2024). Where that text is silent, the usual
/// treatment of US Chess (rule 34 of its rulebook) applies; this concerns mainly rounds that the tied player did not play. The module
/// of such a tie-break mentions it.
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
    /// FIDE: the opponents' scores.
    Buchholz,
    /// FIDE: the opponents' scores without the lowest.
    BuchholzCut1,
    /// FIDE: the opponents' scores without the two lowest.
    BuchholzCut2,
    /// FIDE: the opponents' scores without the lowest and the highest.
    BuchholzMedian1,
    /// FIDE: the opponents' scores without the two lowest and the two highest.
    BuchholzMedian2,
    /// FIDE: each opponent's score times the points won from them, rounds without play included.
    FideSonnebornBerger,
    /// FIDE's direct encounter, US Chess's result between tied players.
    #[serde(alias = "head-to-head")]
    DirectEncounter,
    /// FIDE: the points won from opponents with half of the possible points or more.
    Koya,
    /// FIDE: the sum of the running score after each round, points without play included.
    Progressive,
    /// FIDE: the same without the first round.
    ProgressiveCut1,
    /// FIDE: rounds that gave what a win gives, played or not.
    Wins,
    /// FIDE: games won over the board.
    GamesWon,
    /// FIDE: games played with Black.
    GamesWithBlack,
    /// FIDE: games won with Black.
    WinsWithBlack,
    /// FIDE: rounds that the entrant did not choose to miss.
    RoundsElectedToPlay,
    /// FIDE: the average rating of the opponents.
    AverageRating,
    /// FIDE: the average rating of the opponents without the lowest.
    AverageRatingCut1,
    /// US Chess: 4 points for a win, 2 for a draw, 1 for a loss, none without play.
    Kashdan,
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

/// All of FIDE's that are calculated here.
pub const FIDE_TIE_BREAKS: &[TieBreak] = &[
    TieBreak::Buchholz,
    TieBreak::BuchholzCut1,
    TieBreak::BuchholzCut2,
    TieBreak::BuchholzMedian1,
    TieBreak::BuchholzMedian2,
    TieBreak::FideSonnebornBerger,
    TieBreak::DirectEncounter,
    TieBreak::Koya,
    TieBreak::Progressive,
    TieBreak::ProgressiveCut1,
    TieBreak::Wins,
    TieBreak::GamesWon,
    TieBreak::GamesWithBlack,
    TieBreak::WinsWithBlack,
    TieBreak::RoundsElectedToPlay,
    TieBreak::AverageRating,
    TieBreak::AverageRatingCut1,
];

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
            TieBreak::Buchholz => "Buchholz",
            TieBreak::BuchholzCut1 => "Buchholz Cut 1",
            TieBreak::BuchholzCut2 => "Buchholz Cut 2",
            TieBreak::BuchholzMedian1 => "Buchholz Median 1",
            TieBreak::BuchholzMedian2 => "Buchholz Median 2",
            TieBreak::FideSonnebornBerger => "Sonneborn-Berger (FIDE)",
            TieBreak::DirectEncounter => "Direct Encounter",
            TieBreak::Koya => "Koya",
            TieBreak::Progressive => "Progressive",
            TieBreak::ProgressiveCut1 => "Progressive Cut 1",
            TieBreak::Wins => "Wins",
            TieBreak::GamesWon => "Games Won",
            TieBreak::GamesWithBlack => "Games with Black",
            TieBreak::WinsWithBlack => "Wins with Black",
            TieBreak::RoundsElectedToPlay => "Rounds Elected to Play",
            TieBreak::AverageRating => "Average Rating",
            TieBreak::AverageRatingCut1 => "Average Rating Cut 1",
            TieBreak::Kashdan => "Kashdan",
        }
    }

    /// The code by which FIDE's tournament report (202) names it; none of those of US Chess has one.
    #[must_use]
    pub const fn fide_code(self) -> Option<&'static str> {
        Some(match self {
            TieBreak::Buchholz => "BH",
            TieBreak::BuchholzCut1 => "BH/C1",
            TieBreak::BuchholzCut2 => "BH/C2",
            TieBreak::BuchholzMedian1 => "BH/M1",
            TieBreak::BuchholzMedian2 => "BH/M2",
            TieBreak::FideSonnebornBerger => "SB",
            TieBreak::DirectEncounter => "DE",
            TieBreak::Koya => "KS",
            TieBreak::Progressive => "PS",
            TieBreak::ProgressiveCut1 => "PS/C1",
            TieBreak::Wins => "WIN",
            TieBreak::GamesWon => "WON",
            TieBreak::GamesWithBlack => "BPG",
            TieBreak::WinsWithBlack => "BWG",
            TieBreak::RoundsElectedToPlay => "REP",
            TieBreak::AverageRating => "ARO",
            TieBreak::AverageRatingCut1 => "ARO/C1",
            _ => return None,
        })
    }

    /// The tie-break of a code of FIDE's, without regard to case; none for those that are not calculated here.
    #[must_use]
    pub fn of_fide_code(code: &str) -> Option<TieBreak> {
        FIDE_TIE_BREAKS
            .iter()
            .copied()
            .find(|it| it.fide_code().is_some_and(|known| known.eq_ignore_ascii_case(code)))
    }

    /// Whether it is about entrants who meet each other, so that a [`super::Club`] has no value for it.
    #[must_use]
    pub const fn needs_matches(self) -> bool {
        matches!(
            self,
            TieBreak::GameMatchPoints | TieBreak::UsAmateurTeam | TieBreak::DirectEncounter
        )
    }
}

impl fmt::Display for TieBreak {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
