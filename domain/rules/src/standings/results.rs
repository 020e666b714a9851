//! A section whose reports have been found to agree: what each entrant did in each round.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{CoinToss, Entrant, EntrantNumber, Score, Scoring, problem::Named};

/// Results of every entrant of a section in every round. It comes from a [`Section`] without contradictions, so everything
/// computed from it has an answer.
#[derive(Clone, Debug)]
pub struct Results {
    pub(super) scoring: Scoring,
    pub(super) games_per_round: u8,
    /// In the order of their numbers.
    pub(super) entrants: Vec<Entrant>,
    /// One row for each entrant, one result for each round.
    pub(super) rows: Vec<Vec<RoundResult>>,
    pub(super) coin_tosses: Vec<CoinToss>,
    pub(super) rounds: u8,
    /// Place of each number in `entrants` and `rows`.
    pub(super) index: BTreeMap<EntrantNumber, usize>,
}

/// Result of one entrant in one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RoundResult {
    /// Kind of the result.
    pub kind: ResultKind,
    /// Paired opponent, played or not.
    pub opponent: Option<EntrantNumber>,
    /// Points of the games.
    pub game_points: Score,
    /// Points of the round as a match: 1, ½ or 0.
    pub match_points: Score,
    /// Whether the entrant had White, where the round has one game and the colour is known.
    pub had_white: Option<bool>,
    /// Whether a TD has yet to confirm it, or it is not yet known.
    pub provisional: bool,
}

/// Kind of an entrant's result in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultKind {
    /// Won: more points than the opponent from games of which one at least was played.
    Win,
    /// Drawn: as many points as the opponent, or half a point by a ruling that gives the opponent none.
    Draw,
    /// Lost, alone or by a ruling together with the opponent.
    Loss,
    /// Won without play.
    ForfeitWin,
    /// Half the points without play: forfeits of a match of several games that balance.
    ForfeitDraw,
    /// Lost without play, alone or together with the opponent.
    ForfeitLoss,
    /// A bye that counts as a win.
    FullPointBye,
    /// A bye that counts as a draw.
    HalfPointBye,
    /// A bye that gives nothing.
    ZeroPointBye,
    /// Paired, and not all games of the round are reported.
    Pending,
    /// Not paired, for an unknown reason: entered late, or did not report the absence.
    Unplayed,
    /// Withdrawn in an earlier round.
    Withdrawn,
}

impl ResultKind {
    /// Whether a game was played. All else is an unplayed round for the tie-breaks.
    #[must_use]
    pub const fn is_played(self) -> bool {
        matches!(self, ResultKind::Win | ResultKind::Draw | ResultKind::Loss)
    }
}

impl Results {
    /// Number of rounds of the section.
    #[must_use]
    pub const fn rounds(&self) -> u8 {
        self.rounds
    }

    /// The entrants in the order of their numbers.
    #[must_use]
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// Results of an entrant, round by round; `None` for an unknown number.
    #[must_use]
    pub fn of(&self, entrant: EntrantNumber) -> Option<&[RoundResult]> {
        self.index.get(&entrant).map(|&index| self.rows[index].as_slice())
    }

    /// An entrant's score after a round; `None` for an unknown number. Rounds beyond the last add nothing.
    #[must_use]
    pub fn score(&self, entrant: EntrantNumber, after_round: u8) -> Option<Score> {
        self.index.get(&entrant).map(|&index| self.score_at(index, after_round))
    }

    /// Maximum score of a round.
    pub(super) fn round_maximum(&self) -> Score {
        match self.scoring {
            Scoring::GamePoints => Score::ONE.times(self.games_per_round),
            Scoring::MatchPoints => Score::ONE,
        }
    }

    /// Points of a result.
    pub(super) fn points(&self, result: &RoundResult) -> Score {
        match self.scoring {
            Scoring::GamePoints => result.game_points,
            Scoring::MatchPoints => result.match_points,
        }
    }

    /// The results of the entrant at `index` up to a round, each with its round.
    pub(super) fn row(
        &self,
        index: usize,
        after_round: u8,
    ) -> impl Iterator<Item = (u8, &RoundResult)> {
        (1..=after_round).zip(&self.rows[index])
    }

    pub(super) fn score_at(&self, index: usize, after_round: u8) -> Score {
        self.row(index, after_round).map(|(_, result)| self.points(result)).sum()
    }

    /// The opponent of a result, if the game was played: with the place in the rows.
    pub(super) fn played_opponent(&self, result: &RoundResult) -> Option<(EntrantNumber, usize)> {
        let opponent = result.opponent.filter(|_| result.kind.is_played())?;
        self.index.get(&opponent).map(|&index| (opponent, index))
    }

    /// Whether any result of the entrant at `index` up to a round is provisional.
    pub(super) fn is_provisional(&self, index: usize, after_round: u8) -> bool {
        self.row(index, after_round).any(|(_, result)| result.provisional)
    }

    pub(super) fn named(&self, index: usize) -> Named {
        Named { number: self.entrants[index].number, name: self.entrants[index].name.clone() }
    }
}

impl RoundResult {
    /// A round without an opponent.
    pub(super) const fn alone(kind: ResultKind, game_points: Score, match_points: Score) -> Self {
        RoundResult {
            kind,
            opponent: None,
            game_points,
            match_points,
            had_white: None,
            provisional: false,
        }
    }
}
