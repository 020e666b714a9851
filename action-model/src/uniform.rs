//! Every legal action alike: what is left when nothing is known of players.

use rules::Position;

use super::{ActionPrior, Recent, RoleSet, Survey, survey::survey_by};

/// All legal actions are equally likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPrior;

impl ActionPrior for UniformPrior {
    fn survey(&self, position: &Position, _: &Recent, roles: RoleSet) -> Survey {
        survey_by(position, roles, |_, _| 1.0)
    }
}
