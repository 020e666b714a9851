//! A ply that was made, as the action model weighs it among everything that could have been done.

use action_model::{ActionClass, DropsThere, Survey, Weighed};
use rules::{Ply, Reserve};

use crate::params;

/// A ply that was made, as the survey of the position it was made in weighs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    /// How far its weight [speaks](params::choice_speaks).
    pub(crate) weight: f64,
    pub(crate) class: ActionClass,
    /// Which of the menus is that of the position.
    pub(crate) menu: u32,
    /// The slot of the role that it dropped, and what else could have been dropped there.
    pub(crate) drop: Option<(u8, DropsThere)>,
}

impl Made {
    /// A legal ply of a surveyed position with this menu; none if it is not legal there.
    pub(crate) fn of(ply: Ply, survey: &Survey, menu: u32) -> Option<Made> {
        let Weighed { weight, class } = survey.weight(ply)?;
        let drop = match ply {
            Ply::Drop { role, to } => Some((Reserve::slot(role)? as u8, survey.drops_on(to))),
            Ply::Move { .. } => None,
        };
        Some(Made { weight: params::choice_speaks(weight), class, menu, drop })
    }
}

#[cfg(test)]
impl Made {
    /// A quiet move of weight 1 in a position with this menu.
    pub(crate) fn average(menu: u32) -> Made {
        Made { weight: 1.0, class: ActionClass::QUIET, menu, drop: None }
    }

    /// Which of the menus is that of the position.
    pub(crate) fn menu(&self) -> u32 {
        self.menu
    }
}
