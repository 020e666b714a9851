//! Every legal action alike: what is left when nothing is known of players.

use rules::{Bitboard, Ply, Position, Square};

use super::{ActionPrior, Recent, Survey, captures, survey::survey_by};

/// All legal actions are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPrior;

impl ActionPrior for UniformPrior {
    fn survey(&self, position: &Position, _: &Recent) -> Survey {
        survey_by(position, |_, _| 1.0)
    }

    fn drop_weights(&self, _: &Position, _: Square) -> [f64; 5] {
        [1.0; 5]
    }

    fn capture_weight(&self, position: &Position, ply: Ply, arrived: Bitboard) -> Option<f64> {
        captures::capture_clues(position, ply, arrived).map(|_| 1.0)
    }
}
