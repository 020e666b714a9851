//! Cumulative and Cumulative of Opposition: early points count more, because they lead to stronger opponents.
//!
//! `cumulative = Σ score after each round − points that came without play`. The source gives the sum only. US Chess
//! (34E3) takes away 1 for each full-point bye and each forfeit win, because these points led to stronger opponents
//! without having been won. Older descriptions of its rule stop there; newer ones also take away ½ for each half-point
//! bye. This module follows the newer ones, for the reason holds for both: what a round gave without play is taken
//! away once.
//!
//! `of opposition = Σ cumulative(opponent)` over the games played (34E9). A round without play has no opponent and
//! adds nothing.

use super::{
    Results, Score, TieBreakPoints,
    explanation::{Outline, Term, TermSource},
};

/// The sum of the running score.
pub(super) fn cumulative(results: &Results, index: usize, after_round: u8) -> Outline {
    let mut running = Score::ZERO;
    let mut terms = Vec::new();
    for (round, result) in results.row(index, after_round) {
        let points = results.points(result);
        running = running + points;
        terms.push(Term::of_round(round, TermSource::RunningScore, running));
        if !result.kind.is_played() && points > Score::ZERO {
            let source = TermSource::PointsWithoutPlay { result: result.kind };
            terms.push(Term::of_round(round, source, TieBreakPoints::from(points).negated()));
        }
    }
    Outline::of(terms, results.is_provisional(index, after_round))
}

/// The sum of the opponents' Cumulative.
pub(super) fn of_opposition(results: &Results, index: usize, after_round: u8) -> Outline {
    let mut provisional = results.is_provisional(index, after_round);
    let mut terms = Vec::new();
    for (round, result) in results.row(index, after_round) {
        let Some((opponent, at)) = results.played_opponent(result) else { continue };
        provisional |= results.is_provisional(at, after_round);
        let amount: TieBreakPoints =
            cumulative(results, at, after_round).terms.iter().map(|term| term.amount).sum();
        terms.push(Term::of_round(round, TermSource::OpponentCumulative { opponent }, amount));
    }
    Outline::of(terms, provisional)
}
