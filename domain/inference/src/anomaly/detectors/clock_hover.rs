//! `clock-hover`: a hand stays on or over the clock.
//!
//! ```text
//! confidence = AFTER_A_PRESS    if the hand has pressed and stayed for hover_us or longer after it
//!            = WITHOUT_A_PRESS  if it has not pressed and stayed for waits_us or longer
//! ```
//!
//! [`Pace`](crate::anomaly::hands::pace::Pace) gives both times. Shorter stays are no finding. Only a
//! clock with hand sensors tells.
//!
//! Serves the topic clock hover: hands keep off the clock except for the press.

use crate::anomaly::{findings::finding::prelude::*, hands::pace::Pace};

/// Confidence when the hand had pressed. The doubt: it may rest beside the clock rather than over
/// it. Assumed.
const AFTER_A_PRESS: f64 = 0.95;
/// Confidence when it had not pressed. The doubt: it may be about to press. Assumed.
const WITHOUT_A_PRESS: f64 = 0.8;

/// A hand near a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stay {
    /// Time at which it came, or when it pressed if it has pressed meanwhile, microseconds.
    pub(crate) since_us: u64,
    /// Whether it has pressed.
    pub(crate) pressed: bool,
    /// Whether there has been a finding for it.
    pub(crate) reported: bool,
}

/// Shortest stay of a hand near the clock that is a finding at this pace, microseconds.
pub(crate) const fn enough_us(pressed: bool, pace: Pace) -> u64 {
    if pressed { pace.hover_us } else { pace.waits_us }
}

/// A finding for a hand on this player's side of the clock that has been there for too long at this pace.
pub(crate) fn clock_hover(
    (board, side): (BoardId, Color),
    stay: Stay,
    now_us: u64,
    pace: Pace,
) -> Option<Finding> {
    let lasted_us = now_us.saturating_sub(stay.since_us);
    let (confidence, cause) = match stay.pressed {
        true => (AFTER_A_PRESS, "after pressing it"),
        false => (WITHOUT_A_PRESS, "without pressing it"),
    };
    let evidence = format!(
        "{}'s hand was at the clock of board {board} for {} s or more {cause}.",
        words::side(side),
        words::seconds(lasted_us),
    );
    let finding = Finding::new(AnomalyCode::ClockHover, stay.since_us, confidence, evidence);
    (lasted_us >= enough_us(stay.pressed, pace)).then(|| finding.by(side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_stays_hovers_and_one_that_leaves_does_not() {
        let stay = Stay { since_us: 5, pressed: true, reported: false };
        let hover = |now_us, pace| clock_hover((BoardId::B, Color::White), stay, now_us, pace);
        let found = hover(2_100_005, Pace::BLITZ).expect("a finding");
        assert_eq!(
            found.evidence,
            "White's hand was at the clock of board B for 2.1 s or more after pressing it."
        );
        assert_eq!(hover(300_005, Pace::BLITZ), None);
        assert_eq!(hover(2_100_005, Pace::SLOW), None);
    }
}
