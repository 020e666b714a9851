//! ```text
//! weight(action) = 1
//! ```
//!
//! The prior without any knowledge of players: a baseline for the learnt one.

use rules::Position;

use super::{ActionPrior, ActionWeights, Recent, RoleSet, action_weights::weights_by};

/// All legal actions are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPrior;

impl ActionPrior for UniformPrior {
    fn action_weights(&self, position: &Position, _: &Recent, roles: RoleSet) -> ActionWeights {
        weights_by(position, roles, |_, _| 1.0)
    }
}
