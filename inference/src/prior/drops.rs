//! Types of dropped pieces by how often each is dropped on squares like this one.

use rules::{Position, Square};

use super::ActionPrior;

/// Frequencies of dropped types.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrequencyPrior;

impl ActionPrior for FrequencyPrior {
    fn drop_weights(&self, _position: &Position, _to: Square) -> [f64; 5] {
        [0.34, 0.26, 0.26, 0.075, 0.065]
    }
}
