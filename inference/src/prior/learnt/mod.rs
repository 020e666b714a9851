//! A model learnt from games: every action weighed by clues about the position, the square and the
//! piece, through one small hidden layer.

mod circumstances;
mod exponential;
mod features;
mod maps;
mod score;
mod tables;
mod weights;

pub(super) use circumstances::CircumstanceClues;
pub(super) use exponential::exp;
pub(super) use features::{Sink, visit};
pub(super) use score::{through_hidden, with_rows};
pub(super) use tables::LANES;
pub use weights::{Weights, WeightsError};

use rules::Position;

use super::{ActionPrior, Circumstances, Factors, Recent, Survey};

/// What players choose, learnt from games.
#[derive(Clone, Debug)]
pub struct LearntPrior {
    weights: Weights,
}

/// Trained on games of an engine against itself and then on recorded matches: the default.
const SHIPPED: &[u8] = include_bytes!("../../../weights/shipped.weights");
/// Trained on games of an engine against itself only: to start from where what is measured must not have been
/// learnt from.
const BASE: &[u8] = include_bytes!("../../../weights/base.weights");

impl Default for LearntPrior {
    /// The prior with the weights that come with the program.
    fn default() -> LearntPrior {
        LearntPrior::new(Weights::shipped())
    }
}

impl Weights {
    /// The weights that come with the program, trained on all matches there were.
    #[must_use]
    pub fn shipped() -> Weights {
        included(SHIPPED)
    }

    /// Weights trained on self-play alone, for training to start from.
    #[must_use]
    pub fn base() -> Weights {
        included(BASE)
    }
}

/// Weights that are part of the program; a test reads both files.
fn included(bytes: &[u8]) -> Weights {
    Weights::from_bytes(bytes).unwrap_or_else(|_| Weights::zero())
}

impl LearntPrior {
    /// A prior with these weights.
    #[must_use]
    pub const fn new(weights: Weights) -> LearntPrior {
        LearntPrior { weights }
    }

    /// A prior with the weights in a file.
    ///
    /// # Errors
    ///
    /// See [`Weights::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<LearntPrior, WeightsError> {
        Weights::from_bytes(bytes).map(LearntPrior::new)
    }

    /// Its weights.
    #[must_use]
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }
}

impl ActionPrior for LearntPrior {
    fn survey(&self, position: &Position, recent: &Recent) -> Survey {
        score::survey(&self.weights, position, recent)
    }

    fn factors(&self, circumstances: &Circumstances) -> Factors {
        let clues = CircumstanceClues::of(circumstances);
        clues.sums(&self.weights.circumstances).map(|sum| f64::from(exponential::exp(sum)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_that_come_with_the_program_can_be_read() {
        for bytes in [SHIPPED, BASE] {
            let weights = Weights::from_bytes(bytes).expect("readable weights");
            assert_ne!(weights.wide, Weights::zero().wide);
        }
    }
}
