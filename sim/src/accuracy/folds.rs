//! Folds: the games that a model may learn from when it is judged on a game.

use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

/// Splits the same way for the same number of games, on every machine.
const SPLIT_SEED: u64 = 0x7477_696e;

/// Games in as many parts as equal as can be, each game in one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    fold_of: Vec<usize>,
    count: usize,
}

impl Folds {
    /// `games` games in `count` folds, at least one and at most as many as there are games. The split
    /// depends on these two numbers alone.
    #[must_use]
    pub fn new(games: usize, count: usize) -> Folds {
        let count = count.clamp(1, games.max(1));
        let mut order: Vec<usize> = (0..games).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(SPLIT_SEED));
        let mut fold_of = vec![0; games];
        for (place, &game) in order.iter().enumerate() {
            fold_of[game] = place % count;
        }
        Folds { fold_of, count }
    }

    /// Number of folds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of a game, by its place in the list; games beyond the list are in the first.
    #[must_use]
    pub fn of(&self, game: usize) -> usize {
        self.fold_of.get(game).copied().unwrap_or(0)
    }

    /// Places of the games outside a fold: what may be learnt from when this fold is judged.
    pub fn outside(&self, fold: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.fold_of.len()).filter(move |&game| self.fold_of[game] != fold)
    }
}
