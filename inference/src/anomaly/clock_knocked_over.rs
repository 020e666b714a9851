//! `clock-knocked-over`: a clock lies on its side.
//!
//! Serves the rules that give the opponent a minute (`us-chess-bughouse-2018 14a`, `uscf-bughouse 14b`, the
//! clock rules of the other books): the tilt switch says that the clock fell, and the press before says
//! whose hand was there. A hard press may rock a clock, which then tilts for a moment and stands.

use rules::{BoardId, Color};

use super::support::{finding::Finding, words};
use crate::report::AnomalyCode;

/// A clock that is tilted for less than this, microseconds, was rocked.
pub(crate) const FALLEN_US: u64 = 250_000;
/// A clock falls within this time of the hand that knocks it over, microseconds.
const BY_HAND_US: u64 = 500_000;
/// What is left of doubt when a press came right before the fall: a switch that sticks.
const WITH_A_PRESS: f64 = 0.97;
/// Somebody may as well have picked the clock up or put it straight.
const WITHOUT_A_PRESS: f64 = 0.7;

/// A clock that tilts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tilt {
    /// Since when, microseconds.
    pub(crate) since_us: u64,
    /// For how long, as far as is known, microseconds.
    pub(crate) lasted_us: u64,
    /// The last press of the clock, if any.
    pub(crate) press: Option<(Color, u64)>,
}

/// A finding for a clock that has been tilted long enough to have fallen.
pub(crate) fn clock_knocked_over(board: BoardId, tilt: Tilt) -> Option<Finding> {
    if tilt.lasted_us < FALLEN_US {
        return None;
    }
    let by = tilt.press.filter(|&(_, t_us)| tilt.since_us.abs_diff(t_us) <= BY_HAND_US);
    let cause = match by {
        Some((color, t_us)) => format!(
            "{} ms after {} pressed it",
            tilt.since_us.saturating_sub(t_us) / 1_000,
            words::side(color)
        ),
        None => "and nobody had just pressed it".to_owned(),
    };
    Some(Finding {
        code: AnomalyCode::ClockKnockedOver,
        side: by.map(|(color, _)| color),
        t_us: tilt.since_us,
        confidence: if by.is_some() { WITH_A_PRESS } else { WITHOUT_A_PRESS },
        slot: None,
        reason: None,
        evidence: format!(
            "The clock of board {board} tilted, {cause}, and lay for {} s or more.",
            words::seconds(tilt.lasted_us)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilt(lasted_us: u64, press_us: u64) -> Tilt {
        Tilt { since_us: 1_000_000, lasted_us, press: Some((Color::Black, press_us)) }
    }

    #[test]
    fn a_clock_that_falls_with_a_press_was_knocked_over_by_who_pressed() {
        let found = clock_knocked_over(BoardId::A, tilt(700_000, 970_000)).expect("a finding");
        assert_eq!((found.side, found.t_us), (Some(Color::Black), 1_000_000));
        assert_eq!(
            found.evidence,
            "The clock of board A tilted, 30 ms after Black pressed it, and lay for 0.7 s or more."
        );
    }

    #[test]
    fn a_clock_that_is_rocked_is_no_finding() {
        assert_eq!(clock_knocked_over(BoardId::A, tilt(80_000, 970_000)), None);
    }

    #[test]
    fn a_fall_without_a_press_names_nobody_and_is_less_certain() {
        let found = clock_knocked_over(BoardId::A, tilt(700_000, 100_000)).expect("a finding");
        assert_eq!(found.side, None);
        assert!(found.confidence < WITH_A_PRESS);
    }
}
