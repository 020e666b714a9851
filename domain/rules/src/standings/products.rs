//! Sonneborn-Berger, US Amateur Team and Game/Match Points: wins, weighted by the opponents.
//!
//! `Sonneborn-Berger = Σ points won from the opponent · the opponent's score`: the whole score of who was beaten, half
//! of who was drawn with. `US Amateur Team = Σ game points won from the opponent · the opponent's score` (US Chess
//! 34G2): a team that won by 3 games to 1 against a team that ended with 2½ match points gets 7½. With one game a
//! round both are the same.
//!
//! The source names these without a definition. As US Chess has it, they use the opponents' scores as they are, not
//! adjusted, and a round without play adds nothing: nothing was won from anybody.
//!
//! `Game/Match Points` is the account that is not the score (34G1): game points where match points are the score, and
//! the other way round. It includes the rounds without play, as the score does.

use super::{
    Results, RoundResult, Score, Scoring, TieBreakPoints,
    explanation::{Outline, Term, TermSource},
};

/// Points of the score won from each opponent, times the opponent's score.
pub(super) fn sonneborn_berger(results: &Results, index: usize, after_round: u8) -> Outline {
    won_times_score(results, index, after_round, |result| results.points(result))
}

/// Game points won from each opponent, times the opponent's score.
pub(super) fn us_amateur_team(results: &Results, index: usize, after_round: u8) -> Outline {
    won_times_score(results, index, after_round, |result| result.game_points)
}

/// The points of the account that is not the score.
pub(super) fn game_match_points(results: &Results, index: usize, after_round: u8) -> Outline {
    let term = |(round, result): (u8, &RoundResult)| {
        let points = match results.scoring {
            Scoring::GamePoints => result.match_points,
            Scoring::MatchPoints => result.game_points,
        };
        Term::of_round(round, TermSource::RoundPoints { opponent: result.opponent }, points)
    };
    let terms = results.row(index, after_round).map(term).collect();
    Outline::of(terms, results.is_provisional(index, after_round))
}

fn won_times_score(
    results: &Results,
    index: usize,
    after_round: u8,
    won: impl Fn(&RoundResult) -> Score,
) -> Outline {
    let mut provisional = results.is_provisional(index, after_round);
    let mut terms = Vec::new();
    for (round, result) in results.row(index, after_round) {
        let Some((opponent, at)) = results.played_opponent(result) else { continue };
        provisional |= results.is_provisional(at, after_round);
        let (points, score) = (won(result), results.score_at(at, after_round));
        let source = TermSource::PointsTimesScore { opponent, points, score };
        terms.push(Term::of_round(round, source, TieBreakPoints::product(points, score)));
    }
    Outline::of(terms, provisional)
}
