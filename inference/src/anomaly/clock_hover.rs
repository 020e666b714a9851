//! `clock-hover`: a hand stays on or over the clock.
//!
//! ```text
//! confidence = AFTER_A_PRESS    if the hand has pressed and stayed for hover_us or longer after it
//!            = WITHOUT_A_PRESS  if it has not pressed and stayed for waits_us or longer
//! ```
//!
//! [`Pace`](super::support::pace::Pace) gives both times. Shorter stays are no finding. Only a clock with hand
//! sensors tells.
//!
//! Serves the topic clock hover: hands keep off the clock except for the press.

use rules::{BoardId, Color};

use super::support::{finding::Finding, pace::Pace, words};
use crate::report::AnomalyCode;

/// Confidence when the hand had pressed. The doubt: it may rest beside the clock rather than over it. Assumed.
const AFTER_A_PRESS: f64 = 0.95;
/// Confidence when it had not pressed. The doubt: it may be about to press. Assumed.
const WITHOUT_A_PRESS: f64 = 0.8;

/// A hand near a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stay {
    /// The player on whose side of the clock the hand is.
    pub(crate) side: Color,
    /// When it came, or when it pressed if it has pressed meanwhile, microseconds.
    pub(crate) since_us: u64,
    /// Whether it has pressed.
    pub(crate) pressed: bool,
    /// Time since then, as far as is known, microseconds.
    pub(crate) lasted_us: u64,
}

/// A finding for a hand that has been near the clock for too long at this pace.
pub(crate) fn clock_hover(board: BoardId, stay: Stay, pace: Pace) -> Option<Finding> {
    let enough_us = if stay.pressed { pace.hover_us() } else { pace.waits_us() };
    (stay.lasted_us >= enough_us).then(|| {
        let evidence = format!(
            "{}'s hand was at the clock of board {board} for {} s or more {}.",
            words::side(stay.side),
            words::seconds(stay.lasted_us),
            if stay.pressed { "after pressing it" } else { "without pressing it" },
        );
        Finding::new(
            AnomalyCode::ClockHover,
            stay.since_us,
            if stay.pressed { AFTER_A_PRESS } else { WITHOUT_A_PRESS },
            evidence,
        )
        .by(stay.side)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_stays_hovers_and_one_that_leaves_does_not() {
        let stay = Stay { side: Color::White, since_us: 5, pressed: true, lasted_us: 2_100_000 };
        let hover = |stay| clock_hover(BoardId::B, stay, Pace::Blitz);
        let found = hover(stay).expect("a finding");
        assert_eq!(
            found.evidence,
            "White's hand was at the clock of board B for 2.1 s or more after pressing it."
        );
        assert_eq!(hover(Stay { lasted_us: 300_000, ..stay }), None);
        assert_eq!(clock_hover(BoardId::B, stay, Pace::Slow), None);
    }
}
