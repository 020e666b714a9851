//! Explanation of a tie-break's number, term by term, for a page.

use serde::Serialize;

use super::{EntrantNumber, ResultKind, Score, TieBreak, TieBreakPoints};

/// A tie-break's value and everything it was computed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The tie-break.
    pub tie_break: TieBreak,
    /// The sum of the terms that are not discarded, or their average where the tie-break is one. None where there is nothing to compute: a coin toss, or a
    /// tie-break for matches in a competition without them.
    pub value: Option<TieBreakPoints>,
    /// Summed terms, round by round.
    pub terms: Vec<Term>,
    /// Comparison of the score with half of the possible one, where that decides about discards.
    pub score_class: Option<ScoreClass>,
    /// Whether a result that went into it has yet to be confirmed.
    pub provisional: bool,
}

/// One summand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The round it belongs to; none for a club's player.
    pub round: Option<u8>,
    /// Source.
    pub source: TermSource,
    /// Contribution to the value, unless it is discarded; may be negative.
    pub amount: TieBreakPoints,
    /// Reason why it does not count, if it does not.
    pub discarded: Option<Discard>,
}

/// Source of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TermSource {
    /// The adjusted score of an opponent: the rounds that they did not play count half.
    Opponent {
        /// The opponent.
        opponent: EntrantNumber,
        /// The score in the standings.
        score: Score,
        /// Number of rounds that the opponent did not play.
        unplayed_rounds: u8,
    },
    /// A round that the entrant did not play: as if against an opponent with an adjusted score of 0.
    OwnUnplayedRound {
        /// Its result.
        result: ResultKind,
    },
    /// A round that the entrant did not play, as FIDE counts it: against a dummy with the entrant's own score.
    DummyOpponent {
        /// Its result.
        result: ResultKind,
        /// The entrant's score.
        score: Score,
    },
    /// The entrant's score after the round.
    RunningScore,
    /// Points that came without play, taken away again.
    PointsWithoutPlay {
        /// The result that gave them.
        result: ResultKind,
    },
    /// An opponent's Cumulative.
    OpponentCumulative {
        /// The opponent.
        opponent: EntrantNumber,
    },
    /// Points won from an opponent times that opponent's score.
    PointsTimesScore {
        /// The opponent.
        opponent: EntrantNumber,
        /// The points won from them.
        points: Score,
        /// Their score.
        score: Score,
    },
    /// The round's points in the tie-break, with the opponent: points of games or of the match, one for a round that is counted, a
    /// rating.
    RoundPoints {
        /// The opponent, if there is one.
        opponent: Option<EntrantNumber>,
    },
    /// A club's player whose score counts: the player's own value of the tie-break.
    Player {
        /// The player.
        player: EntrantNumber,
    },
}

/// Reason of a discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discard {
    /// Among the lowest.
    Lowest,
    /// Among the highest.
    Highest,
}

/// Comparison of a score with half of the possible one so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreClass {
    /// Above half.
    Plus,
    /// Exactly half.
    Even,
    /// Below half.
    Minus,
}

/// An explanation before its terms are summed.
pub(super) struct Outline {
    pub(super) terms: Vec<Term>,
    pub(super) score_class: Option<ScoreClass>,
    pub(super) provisional: bool,
    pub(super) has_value: bool,
    /// Whether the value is the average of the terms, to whole points, and not their sum.
    pub(super) is_average: bool,
}

impl Outline {
    /// Terms of which none is discarded yet.
    pub(super) fn of(terms: Vec<Term>, provisional: bool) -> Outline {
        Outline { terms, score_class: None, provisional, has_value: true, is_average: false }
    }

    /// No value to compute.
    pub(super) fn without_value() -> Outline {
        Outline { has_value: false, ..Outline::of(Vec::new(), false) }
    }

    pub(super) fn explain(self, tie_break: TieBreak) -> Explanation {
        let counted = self.terms.iter().filter(|term| term.discarded.is_none());
        let (sum, count) = counted
            .fold((TieBreakPoints::ZERO, 0), |(sum, count), term| (sum + term.amount, count + 1));
        let value = if self.is_average { sum.average(count) } else { sum };
        Explanation {
            tie_break,
            value: self.has_value.then_some(value),
            terms: self.terms,
            score_class: self.score_class,
            provisional: self.provisional,
        }
    }
}

impl Term {
    /// A term of a round that counts.
    pub(super) fn of_round(
        round: u8,
        source: TermSource,
        amount: impl Into<TieBreakPoints>,
    ) -> Term {
        Term { round: Some(round), source, amount: amount.into(), discarded: None }
    }
}
