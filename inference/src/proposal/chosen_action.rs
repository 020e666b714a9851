//! A ply that was made, as the action model weighs it among everything that could have been done.

use action_model::{ActionClass, ActionWeights, DropsThere, WeightedAction};
use rules::{Ply, Reserve};

use crate::params;

/// A ply that was made, as the survey of the position it was made in weighs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenAction {
    /// How far its weight [speaks](params::choice_speaks).
    pub(crate) weight: f64,
    pub(crate) class: ActionClass,
    /// Which of the totals is that of the position.
    pub(crate) totals: u32,
    /// The slot of the role that it dropped, and what else could have been dropped there.
    pub(crate) drop: Option<(u8, DropsThere)>,
}

impl ChosenAction {
    /// A legal ply of a surveyed position with these totals; none if it is not legal there.
    pub(crate) fn of(ply: Ply, survey: &ActionWeights, totals: u32) -> Option<ChosenAction> {
        let WeightedAction { weight, class } = survey.weight(ply)?;
        let drop = match ply {
            Ply::Drop { role, to } => Some((Reserve::slot(role)? as u8, survey.drops_on(to))),
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

    /// Which of the totals is that of the position.
    pub(crate) fn totals(&self) -> u32 {
        self.totals
    }
}
