//! A ply that was made, with its weight among all that its player could have done.
//!
//! ```text
//! weight = w(ply | position)^(3/4)
//! ```
//!
//! `w` is the weight that the action model gives the ply. It becomes a probability only beside the sum over all
//! actions, which differs from hypothesis to hypothesis (`beam/choice_probability.rs`). So weight and sums are kept
//! apart.

use action_model::{ActionClass, ActionWeights, DropsThere, WeightedAction};
use rules::{Ply, Reserve};

use crate::params;

/// A ply that was made, as the action weights of the position before it have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenAction {
    /// Its weight as [evidence](params::choice_speaks), above 0.
    pub(crate) weight: f64,
    pub(crate) class: ActionClass,
    /// Index of the position's totals.
    pub(crate) totals: u32,
    /// Of a drop, the slot of its role and the weights of all roles on its square.
    pub(crate) drop: Option<(u8, DropsThere)>,
}

impl ChosenAction {
    /// A legal ply of a position with these action weights and totals; none if it is not legal there.
    pub(crate) fn of(ply: Ply, weights: &ActionWeights, totals: u32) -> Option<ChosenAction> {
        let WeightedAction { weight, class } = weights.weight(ply)?;
        let drop = match ply {
            Ply::Drop { role, to } => Some((Reserve::slot(role)? as u8, weights.drops_on(to))),
            Ply::Move { .. } => None,
        };
        Some(ChosenAction { weight: params::choice_speaks(weight), class, totals, drop })
    }
}

#[cfg(test)]
impl ChosenAction {
    /// A quiet move of weight 1 in a position with these totals.
    pub(crate) fn average(totals: u32) -> ChosenAction {
        ChosenAction { weight: 1.0, class: ActionClass::QUIET, totals, drop: None }
    }

    /// Index of the position's totals.
    pub(crate) fn totals(&self) -> u32 {
        self.totals
    }
}
