//! FIDE's tie-breaks for players (Handbook C.07, in force from August 2024), and Kashdan of US Chess.
//!
//! FIDE counts rounds without play in another way than US Chess does, so names that both use have two calculations:
//!
//! - A round that an entrant chose not to play is a requested bye, a round without an entry or a forfeit lost (16.2:
//!   "voluntary").
//! - An opponent's score counts as it is, except that requested byes after which the opponent played no more count as
//!   draws (16.3).
//! - A round that the entrant did not play counts as one against a dummy with the entrant's own score (16.4).
//! - A cut of the lowest takes the rounds that the entrant chose not to play first (16.5).
//!
//! A game that is not over yet counts as a round without play that was not chosen. Byes of the whole section and the odd entrant's bye
//! are full-point byes here, which entrants cannot choose.

use std::cmp::Reverse;

use super::{
    ResultKind, Results, RoundResult, Score, TieBreakPoints,
    explanation::{Discard, Outline, Term, TermSource},
};

/// Number of the lowest and of the highest contributions that are cut.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) lowest: usize,
    pub(super) highest: usize,
}

impl Cut {
    pub(super) const NONE: Cut = Cut { lowest: 0, highest: 0 };
}

/// The scores of the opponents (8.1), without what is cut (14).
pub(super) fn buchholz(results: &Results, index: usize, after_round: u8, cut: Cut) -> Outline {
    let mut outline = against_opponents(results, index, after_round, |_, score| score.into());
    let chosen: Vec<bool> =
        results.row(index, after_round).map(|(_, result)| is_chosen(result)).collect();
    discard(&mut outline.terms, &chosen, cut);
    outline
}

/// The score of each opponent times the points won from them (9.1).
pub(super) fn sonneborn_berger(results: &Results, index: usize, after_round: u8) -> Outline {
    against_opponents(results, index, after_round, |result, score| {
        TieBreakPoints::product(results.points(result), score)
    })
}

/// The points won from opponents who have half of the possible points or more (9.2).
pub(super) fn koya(results: &Results, index: usize, after_round: u8) -> Outline {
    let half = results.round_maximum().times(after_round).halved();
    of_rounds(results, index, after_round, |_, result| {
        let opponent = result.opponent?;
        let at = *results.index.get(&opponent)?;
        let counts = results.score_at(at, after_round) >= half;
        counts.then(|| results.points(result).into())
    })
}

/// The sum of the score after each round from one on (7.5).
pub(super) fn progressive(results: &Results, index: usize, after_round: u8, cut: u8) -> Outline {
    let mut running = Score::ZERO;
    let mut terms = Vec::new();
    for (round, result) in results.row(index, after_round) {
        running = running + results.points(result);
        let mut term = Term::of_round(round, TermSource::RunningScore, running);
        term.discarded = (round <= cut).then_some(Discard::Lowest);
        terms.push(term);
    }
    Outline::of(terms, results.is_provisional(index, after_round))
}

/// The rounds that a condition holds for (7.1 to 7.4, 7.6).
pub(super) fn count(
    results: &Results,
    index: usize,
    after_round: u8,
    counts: impl Fn(&RoundResult) -> bool,
) -> Outline {
    of_rounds(results, index, after_round, |_, result| counts(result).then_some(Score::ONE.into()))
}

/// Whether a round gave what a win gives, played or not (7.1).
pub(super) fn is_win(result: &RoundResult) -> bool {
    matches!(result.kind, ResultKind::Win | ResultKind::ForfeitWin | ResultKind::FullPointBye)
}

/// Whether the entrant was there to play: all rounds but those that they chose not to (7.6).
pub(super) fn is_elected(result: &RoundResult) -> bool {
    !is_chosen(result)
}

/// The average rating of the opponents played (10.1); none while an entrant of the section has no rating.
pub(super) fn average_rating(
    results: &Results,
    index: usize,
    after_round: u8,
    lowest: usize,
) -> Outline {
    if results.entrants.iter().any(|entrant| entrant.rating.is_none()) {
        return Outline::without_value();
    }
    let mut outline = of_rounds(results, index, after_round, |_, result| {
        let (_, at) = results.played_opponent(result)?;
        results.entrants[at].rating.map(TieBreakPoints::of_rating)
    });
    let chosen = vec![false; outline.terms.len()];
    discard(&mut outline.terms, &chosen, Cut { lowest, highest: 0 });
    outline.is_average = true;
    outline.has_value = outline.terms.iter().any(|term| term.discarded.is_none());
    outline
}

/// 4 points for each win, 2 for each draw, 1 for each loss, none without play (US Chess 34E7).
pub(super) fn kashdan(results: &Results, index: usize, after_round: u8) -> Outline {
    of_rounds(results, index, after_round, |_, result| {
        let points = match result.kind {
            ResultKind::Win => 4,
            ResultKind::Draw => 2,
            ResultKind::Loss => 1,
            _ => return None,
        };
        Some(Score::ONE.times(points).into())
    })
}

/// Terms of the rounds that add something.
fn of_rounds(
    results: &Results,
    index: usize,
    after_round: u8,
    amount: impl Fn(u8, &RoundResult) -> Option<TieBreakPoints>,
) -> Outline {
    let term = |(round, result): (u8, &RoundResult)| {
        let source = TermSource::RoundPoints { opponent: result.opponent };
        amount(round, result).map(|amount| Term::of_round(round, source, amount))
    };
    let terms = results.row(index, after_round).filter_map(term).collect();
    Outline::of(terms, results.is_provisional(index, after_round))
}

/// A term for each round: from the opponent's score, or from the dummy's.
fn against_opponents(
    results: &Results,
    index: usize,
    after_round: u8,
    amount: impl Fn(&RoundResult, Score) -> TieBreakPoints,
) -> Outline {
    let mut provisional = results.is_provisional(index, after_round);
    let own = results.score_at(index, after_round);
    let term = |(round, result): (u8, &RoundResult)| match results.played_opponent(result) {
        None => {
            let source = TermSource::DummyOpponent { result: result.kind, score: own };
            Term::of_round(round, source, amount(result, own))
        }
        Some((opponent, at)) => {
            provisional |= results.is_provisional(at, after_round);
            let (adjusted, unplayed_rounds) = adjusted(results, at, after_round);
            let score = results.score_at(at, after_round);
            let source = TermSource::Opponent { opponent, score, unplayed_rounds };
            Term::of_round(round, source, amount(result, adjusted))
        }
    };
    let terms = results.row(index, after_round).map(term).collect();
    Outline::of(terms, provisional)
}

/// The score of the entrant at `index` as it counts for opponents, and how many rounds count as draws in it.
fn adjusted(results: &Results, index: usize, after_round: u8) -> (Score, u8) {
    let half_a_round = results.round_maximum().halved();
    let last = results.row(index, after_round).filter(|(_, it)| !is_chosen(it)).last();
    let last = last.map_or(0, |(round, _)| round);
    results.row(index, after_round).fold((Score::ZERO, 0), |(sum, draws), (round, result)| {
        if round <= last || result.opponent.is_some() {
            (sum + results.points(result), draws)
        } else {
            (sum + half_a_round, draws + 1)
        }
    })
}

/// Whether the entrant chose not to play the round.
const fn is_chosen(result: &RoundResult) -> bool {
    match result.kind {
        ResultKind::HalfPointBye
        | ResultKind::ZeroPointBye
        | ResultKind::Unplayed
        | ResultKind::Withdrawn
        | ResultKind::ForfeitDraw
        | ResultKind::ForfeitLoss => true,
        ResultKind::Win
        | ResultKind::Draw
        | ResultKind::Loss
        | ResultKind::ForfeitWin
        | ResultKind::FullPointBye
        | ResultKind::Pending => false,
    }
}

/// Marks what is cut: of the lowest first those of rounds that were chosen, then the highest of the rest.
fn discard(terms: &mut [Term], chosen: &[bool], cut: Cut) {
    let mut kept: Vec<usize> = (0..terms.len()).collect();
    kept.sort_by_key(|&at| (Reverse(chosen[at]), terms[at].amount));
    for at in kept.drain(..cut.lowest.min(kept.len())).collect::<Vec<_>>() {
        terms[at].discarded = Some(Discard::Lowest);
    }
    kept.sort_by_key(|&at| Reverse(terms[at].amount));
    for &at in kept.iter().take(cut.highest) {
        terms[at].discarded = Some(Discard::Highest);
    }
}
