//! How many plies one press may end, and how probable that is: who pressed, and who was to move, tell which were not pressed after.

use rules::Color;

use crate::{explanation::PressPattern, params};

/// How many plies, how probable that is, and what it means; the sides take turns.
pub(crate) type Order = (usize, f64, PressPattern);

/// Several plies in a segment that `presser` ended, or nobody, with `turn` to move before it.
pub(crate) fn several(presser: Option<Color>, turn: Color) -> &'static [Order] {
    const STOPPED: &[Order] = &[(2, params::stopped::TWO_PLIES, PressPattern::MissedPress)];
    const OWN: &[Order] = &[
        (2, params::own_turn::ANSWERED, PressPattern::Answered),
        (3, params::own_turn::MISSED_PRESS, PressPattern::MissedPress),
    ];
    const OTHER: &[Order] = &[(2, params::other_turn::MISSED_PRESS, PressPattern::MissedPress)];
    match presser {
        None => STOPPED,
        Some(presser) if presser == turn => OWN,
        Some(_) => OTHER,
    }
}

/// More plies than usual: the press was forgotten once more.
pub(crate) fn many_plies(presser: Option<Color>, turn: Color) -> &'static [Order] {
    const AGAIN: f64 = params::own_turn::MISSED_PRESS;
    const STOPPED: &[Order] = &[(4, params::stopped::TWO_PLIES * AGAIN, PressPattern::MissedPress)];
    const OWN: &[Order] = &[(5, params::own_turn::MISSED_PRESS * AGAIN, PressPattern::MissedPress)];
    const OTHER: &[Order] =
        &[(4, params::other_turn::MISSED_PRESS * AGAIN, PressPattern::MissedPress)];
    match presser {
        None => STOPPED,
        Some(presser) if presser == turn => OWN,
        Some(_) => OTHER,
    }
}
