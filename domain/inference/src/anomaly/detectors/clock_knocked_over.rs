//! `clock-knocked-over`: a clock lies on its side.
//!
//! ```text
//! confidence = WITH_A_PRESS if a press lies within BY_HAND_US of the fall, otherwise WITHOUT_A_PRESS
//! ```
//!
//! There is a finding once the tilt has lasted FALLEN_US. A hard press may rock a clock, which then
//! tilts for a moment and stands. The tilt switch says that the clock fell; the last press says
//! whose hand was there.
//!
//! Serves the topic knocking the clock over: the opponent gets a minute.

use crate::anomaly::findings::finding::prelude::*;

/// A tilt shorter than this is a rocking clock, microseconds. Assumed.
pub(crate) const FALLEN_US: u64 = 250_000;
/// Longest time between the press of the hand that knocks a clock over and the fall, microseconds. Assumed.
const BY_HAND_US: u64 = 500_000;
/// Confidence when a press came right before the fall. The doubt: a switch that sticks. Assumed.
const WITH_A_PRESS: f64 = 0.97;
/// Confidence otherwise. The doubt: somebody picked the clock up or put it straight. Assumed.
const WITHOUT_A_PRESS: f64 = 0.7;

/// A finding for a clock that has been tilted long enough to have fallen. `press`: its last press,
/// if any, player and time, microseconds.
pub(crate) fn clock_knocked_over(
    board: BoardId,
    since_us: u64,
    now_us: u64,
    press: Option<(Color, u64)>,
) -> Option<Finding> {
    let lasted_us = now_us.saturating_sub(since_us);
    if lasted_us < FALLEN_US {
        return None;
    }
    let by = press.filter(|&(_, t_us)| since_us.abs_diff(t_us) <= BY_HAND_US);
    let (confidence, cause) = match by {
        Some((color, t_us)) => {
            let after_ms = since_us.saturating_sub(t_us) / 1_000;
            (WITH_A_PRESS, format!("{after_ms} ms after {} pressed it", words::side(color)))
        }
        None => (WITHOUT_A_PRESS, "and nobody had just pressed it".to_owned()),
    };
    let lasted = words::seconds(lasted_us);
    let evidence =
        format!("The clock of board {board} tilted, {cause}, and lay for {lasted} s or more.");
    let finding = Finding::new(AnomalyCode::ClockKnockedOver, since_us, confidence, evidence);
    Some(finding.by(by.map(|(color, _)| color)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilt(lasted_us: u64, press_us: u64) -> Option<Finding> {
        let press = Some((Color::Black, press_us));
        clock_knocked_over(BoardId::A, 1_000_000, 1_000_000 + lasted_us, press)
    }

    #[test]
    fn a_clock_that_falls_with_a_press_was_knocked_over_by_who_pressed() {
        let found = tilt(700_000, 970_000).expect("a finding");
        assert_eq!((found.side, found.t_us), (Some(Color::Black), 1_000_000));
        assert_eq!(
            found.evidence,
            "The clock of board A tilted, 30 ms after Black pressed it, and lay for 0.7 s or more."
        );
    }

    #[test]
    fn a_clock_that_is_rocked_is_no_finding() {
        assert_eq!(tilt(80_000, 970_000), None);
    }

    #[test]
    fn a_fall_without_a_press_names_nobody_and_is_less_certain() {
        let found = tilt(700_000, 100_000).expect("a finding");
        assert_eq!(found.side, None);
        assert!(found.confidence < WITH_A_PRESS);
    }
}
