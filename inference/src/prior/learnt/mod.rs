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
