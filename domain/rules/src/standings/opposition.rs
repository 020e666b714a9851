//! Solkoff, Median and Modified Median: the scores of the opponents, with or without the extremes.
//!
//! `value = Σ adjusted(opponent)` over the rounds, minus what is discarded. An opponent's adjusted score is
//! `Σ points(played rounds) + ½ · (rounds not played)`, however these went: byes, forfeits, rounds after a withdrawal
//! (`uscf-tiebreaks`). With more than one game a round, the half is half of a round's maximum.
//!
//! The source does not say what a round counts that the tied player did not play. US Chess (34E1) counts it as an
//! opponent with an adjusted score of 0, which may then be what is discarded. A forfeit has an opponent by name
//! only, so it is treated in the same way.
//!
//! "Nine or more rounds" and "half of the possible score" both count the rounds of the standings, as the source's example does. So
//! standings in the course of an event are the same as if it ended there.

use std::cmp::{Ordering, Reverse};

use super::{
    Results, Score,
    explanation::{Discard, Outline, ScoreClass, Term, TermSource},
};

/// From this round on, two scores are discarded where else it is one.
const ROUNDS_FOR_TWO_DISCARDS: u8 = 9;

/// The opponents' adjusted scores.
pub(super) fn solkoff(results: &Results, index: usize, after_round: u8) -> Outline {
    let mut provisional = results.is_provisional(index, after_round);
    let term = |(round, result)| match results.played_opponent(result) {
        None => {
            let source = TermSource::OwnUnplayedRound { result: result.kind };
            Term::of_round(round, source, Score::ZERO)
        }
        Some((opponent, at)) => {
            provisional |= results.is_provisional(at, after_round);
            let (adjusted, unplayed_rounds) = adjusted(results, at, after_round);
            let score = results.score_at(at, after_round);
            let source = TermSource::Opponent { opponent, score, unplayed_rounds };
            Term::of_round(round, source, adjusted)
        }
    };
    let terms = results.row(index, after_round).map(term).collect();
    Outline::of(terms, provisional)
}

/// The opponents' adjusted scores without the highest and the lowest.
pub(super) fn median(results: &Results, index: usize, after_round: u8) -> Outline {
    let mut outline = solkoff(results, index, after_round);
    let count = discards(after_round);
    discard(&mut outline.terms, count, count);
    outline
}

/// The opponents' adjusted scores without those that say least about a score of this class.
pub(super) fn modified_median(results: &Results, index: usize, after_round: u8) -> Outline {
    let mut outline = solkoff(results, index, after_round);
    let count = discards(after_round);
    let possible = results.round_maximum().times(after_round);
    let score = results.score_at(index, after_round);
    let class = match (score + score).cmp(&possible) {
        Ordering::Greater => ScoreClass::Plus,
        Ordering::Equal => ScoreClass::Even,
        Ordering::Less => ScoreClass::Minus,
    };
    match class {
        ScoreClass::Plus => discard(&mut outline.terms, count, 0),
        ScoreClass::Even => discard(&mut outline.terms, count, count),
        ScoreClass::Minus => discard(&mut outline.terms, 0, count),
    }
    outline.score_class = Some(class);
    outline
}

/// The adjusted score of the entrant at `index`, and how many rounds they did not play.
fn adjusted(results: &Results, index: usize, after_round: u8) -> (Score, u8) {
    let half_a_round = results.round_maximum().halved();
    results.row(index, after_round).fold((Score::ZERO, 0), |(sum, unplayed), (_, result)| {
        if result.kind.is_played() {
            (sum + results.points(result), unplayed)
        } else {
            (sum + half_a_round, unplayed + 1)
        }
    })
}

/// Number of scores that are discarded at an end.
fn discards(after_round: u8) -> usize {
    if after_round >= ROUNDS_FOR_TWO_DISCARDS { 2 } else { 1 }
}

/// Marks the lowest and then the highest terms as discarded, as far as there are any. Of equal ones it takes those of
/// the earliest rounds, which changes no sum.
fn discard(terms: &mut [Term], lowest: usize, highest: usize) {
    let mut by_amount: Vec<usize> = (0..terms.len()).collect();
    by_amount.sort_by_key(|&at| terms[at].amount);
    for &at in by_amount.iter().take(lowest) {
        terms[at].discarded = Some(Discard::Lowest);
    }
    by_amount.retain(|&at| terms[at].discarded.is_none());
    by_amount.sort_by_key(|&at| Reverse(terms[at].amount));
    for &at in by_amount.iter().take(highest) {
        terms[at].discarded = Some(Discard::Highest);
    }
}
