//! Interval of a share, when plies of one game are correlated.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::score::Share;

/// Samples drawn with replacement.
const DRAWS: usize = 2_000;
/// Same draws for every figure, so that figures can be compared and a run repeated.
const DRAWS_SEED: u64 = 2_026;

/// A 95 % interval of a share, both bounds between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// From the counts of each game over all its performances: the percentile bootstrap that draws whole
    /// games (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; games as
    /// clusters, after Davison and Hinkley, Bootstrap Methods, 1997, section 3.8). Where all games agree
    /// entirely, drawing them anew shows no spread: then it is Wilson's interval with one of the
    /// `performances` of each game as the sample, since the others say little more. None without any count.
    #[must_use]
    pub fn over_games(games: &[Share], performances: u64) -> Option<Interval> {
        let counted: Vec<Share> = games.iter().copied().filter(|game| game.of > 0).collect();
        let first = counted.first()?;
        let is_extreme = |game: &Share| game.right == 0 || game.right == game.of;
        if counted.iter().all(|game| is_extreme(game) && (game.right == 0) == (first.right == 0)) {
            let all: u64 = counted.iter().map(|game| game.of).sum();
            let of = (all / performances.max(1)).max(1);
            let (low, high) =
                Share { right: if first.right == 0 { 0 } else { of }, of }.wilson_95()?;
            return Some(Interval { low, high });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(DRAWS_SEED);
        let mut shares: Vec<f64> = (0..DRAWS)
            .filter_map(|_| {
                let mut sum = Share::default();
                for _ in 0..counted.len() {
                    sum += counted[rng.random_range(0..counted.len())];
                }
                sum.value()
            })
            .collect();
        shares.sort_unstable_by(f64::total_cmp);
        let quantile = |q: f64| shares[(q * (shares.len() - 1) as f64).round() as usize];
        Some(Interval { low: quantile(0.025), high: quantile(0.975) })
    }
}
