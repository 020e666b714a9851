//! How many plies one press may end, and how probable each number is.
//!
//! ```text
//! p(usual number)   = p(pattern)
//! p(two plies more) = p(pattern) * own_turn::MISSED_PRESS
//! p(one ply more)   = p(pattern) * own_turn::ANSWERED;  p(pattern) * stopped::ONE_PLY if nobody pressed
//! ```
//!
//! `p(pattern)` is the number of the pattern in [`params`]. Who pressed and who was to move say which presses were
//! forgotten, since the sides take turns.

use rules::Color;

use crate::{explanation::PressPattern, params};

/// Number of plies, its probability (0 to 1), and its pattern. The sides take turns.
pub(crate) type Order = (usize, f64, PressPattern);

/// Several plies in a segment before which `turn` was to move. `presser` ended it, or nobody if the clock was stopped.
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

/// More plies than usual: one more press was forgotten, or an answer came before the press as well.
pub(crate) fn many_plies(presser: Option<Color>, turn: Color) -> &'static [Order] {
    use params::{
        other_turn,
        own_turn::{ANSWERED, MISSED_PRESS},
        stopped,
    };
    const STOPPED: &[Order] = &[
        (3, stopped::TWO_PLIES * stopped::ONE_PLY, PressPattern::MissedPress),
        (4, stopped::TWO_PLIES * MISSED_PRESS, PressPattern::MissedPress),
    ];
    const OWN: &[Order] = &[
        (4, MISSED_PRESS * ANSWERED, PressPattern::Answered),
        (5, MISSED_PRESS * MISSED_PRESS, PressPattern::MissedPress),
    ];
    const OTHER: &[Order] = &[
        (3, other_turn::MISSED_PRESS * ANSWERED, PressPattern::MissedPress),
        (4, other_turn::MISSED_PRESS * MISSED_PRESS, PressPattern::MissedPress),
    ];
    match presser {
        None => STOPPED,
        Some(presser) if presser == turn => OWN,
        Some(_) => OTHER,
    }
}
