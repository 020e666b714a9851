//! Direct encounter (FIDE C.07, 6) and the result between tied players (US Chess 34E): the games of the tied against each other.
//!
//! If all of them have met, their points in these games rank them. If not, a player is put first only if no other could come level by
//! winning every game that was not played. Players who stay tied are ranked again among themselves. Games that were not played,
//! forfeits too, are no meetings; of several meetings of two the average counts.

use std::cmp::Reverse;

use super::{
    Results,
    explanation::{Outline, Term, TermSource},
};

/// Points of an average of meetings, as whole numbers: a multiple of every number of meetings that occurs.
const AVERAGED: u64 = 720_720;

/// The points from games against those with the same score. Which of them count in a ranking depends on who is tied.
pub(super) fn points(results: &Results, index: usize, after_round: u8) -> Outline {
    let own = results.score_at(index, after_round);
    let term = |(round, result)| {
        let (opponent, at) = results.played_opponent(result)?;
        let is_tied = results.score_at(at, after_round) == own;
        let source = TermSource::RoundPoints { opponent: Some(opponent) };
        is_tied.then(|| Term::of_round(round, source, results.points(result)))
    };
    let terms = results.row(index, after_round).filter_map(term).collect();
    Outline::of(terms, results.is_provisional(index, after_round))
}

/// The place of each of the tied among them, the best first; who stays tied shares it.
pub(super) fn keys(results: &Results, tied: &[usize], after_round: u8) -> Vec<Reverse<usize>> {
    let mut places = vec![0; tied.len()];
    let mut waiting: Vec<(usize, Vec<usize>)> = vec![(0, (0..tied.len()).collect())];
    while let Some((place, group)) = waiting.pop() {
        let classes = separate(results, tied, &group, after_round);
        let is_settled = classes.len() == 1;
        let mut at = place;
        for class in classes {
            for &item in &class {
                places[item] = at;
            }
            let next = at + class.len();
            if !is_settled && class.len() > 1 {
                waiting.push((at, class));
            }
            at = next;
        }
    }
    places.into_iter().map(Reverse).collect()
}

/// Points of a member of a group against the others of it.
struct Meetings {
    item: usize,
    points: u64,
    /// With every game won that was not played.
    at_most: u64,
}

/// A group in its order, in classes that stay tied.
fn separate(
    results: &Results,
    tied: &[usize],
    group: &[usize],
    after_round: u8,
) -> Vec<Vec<usize>> {
    let win = u64::from(results.round_maximum().half_points()) * AVERAGED;
    let others = group.len() - 1;
    let mut all_met = true;
    let meetings = |&item: &usize| {
        let (mut points, mut met) = (0, 0);
        for &other in group.iter().filter(|&&other| other != item) {
            let games: Vec<u64> = results
                .row(tied[item], after_round)
                .filter(|(_, it)| {
                    results.played_opponent(it).is_some_and(|(_, at)| at == tied[other])
                })
                .map(|(_, it)| u64::from(results.points(it).half_points()))
                .collect();
            if !games.is_empty() {
                met += 1;
                points += games.iter().sum::<u64>() * AVERAGED / games.len() as u64;
            }
        }
        all_met &= met == others;
        Meetings { item, points, at_most: points + win * (others - met) as u64 }
    };
    let mut ranked: Vec<Meetings> = group.iter().map(meetings).collect();
    ranked.sort_by_key(|it| Reverse((it.points, it.at_most)));
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut is_open = true;
    for (at, one) in ranked.iter().enumerate() {
        let is_behind = at > 0 && {
            let before = ranked[at - 1].points;
            let reach = ranked[at..].iter().map(|it| it.at_most).max().unwrap_or(0);
            if all_met { before > one.points } else { is_open && before > reach }
        };
        if at == 0 || is_behind {
            classes.push(Vec::new());
        } else if !all_met {
            is_open = false;
        }
        if let Some(class) = classes.last_mut() {
            class.push(one.item);
        }
    }
    classes
}
