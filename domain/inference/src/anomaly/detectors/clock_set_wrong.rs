//! `clock-set-wrong`: before the first press a clock shows another time than the event's.
//!
//! ```text
//! off = min(|shown − base|, |shown − (base + first)|)
//! confidence = CONFIDENCE if off ≥ TOLERANCE_MS + resolution, otherwise no finding
//! ```
//!
//! `shown` is a side's display when the clock was started, `base` the time of the event. Some
//! clocks add the first increment or delay `first` at once, so both values are right. `resolution`
//! is the resolution of the clock.
//!
//! Serves the topic set-up: both players inspect the clock before play. It may be corrected until
//! each side has made a move; a time above the time control may be reduced later too.

use crate::anomaly::findings::finding::prelude::*;

/// Difference that a rounding display explains, milliseconds. Assumed: clocks are set to whole seconds.
const TOLERANCE_MS: i64 = 1_000;
/// Confidence of a wrong setting. The doubt: the clock may be set again between its last reading and
/// the press. Assumed.
const CONFIDENCE: f64 = 0.98;

/// Findings for the times that a clock showed when it was started, all in milliseconds. `base_ms`:
/// the time that it should have shown. `first_ms`: the time that some clocks show above it.
/// `resolution_ms`: the largest error of a time by the resolution of the clock.
pub(crate) fn clock_set_wrong(
    board: BoardId,
    t_us: u64,
    shown_ms: [i64; 2],
    (base_ms, first_ms): (i64, i64),
    resolution_ms: i64,
) -> Vec<Finding> {
    let is_wrong = |shown_ms: i64| {
        let off_ms = |right_ms: i64| shown_ms.saturating_sub(right_ms).saturating_abs();
        off_ms(base_ms).min(off_ms(base_ms + first_ms)) >= TOLERANCE_MS + resolution_ms
    };
    let wrong = Color::ALL.into_iter().zip(shown_ms).filter(|&(_, shown_ms)| is_wrong(shown_ms));
    let found = wrong.map(|(side, shown_ms)| {
        let evidence = format!(
            "The clock of board {board} was started with {} for {} instead of {}.",
            words::minutes(shown_ms),
            words::side(side),
            words::minutes(base_ms),
        );
        Finding::new(AnomalyCode::ClockSetWrong, t_us, CONFIDENCE, evidence).by(side)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_is_compared_with_the_time_control() {
        let found = clock_set_wrong(BoardId::A, 9, [300_000, 360_000], (300_000, 0), 0);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.side, Some(Color::Black));
        assert_eq!(
            finding.evidence,
            "The clock of board A was started with 6:00 for Black instead of 5:00."
        );
    }

    #[test]
    fn clock_may_show_the_first_increment_from_the_start() {
        let found = |shown_ms| clock_set_wrong(BoardId::A, 9, shown_ms, (180_000, 2_000), 0).len();
        assert_eq!((found([180_000, 182_000]), found([184_000, 182_000])), (0, 1));
    }

    #[test]
    fn a_display_that_rounds_is_not_wrong() {
        assert_eq!(clock_set_wrong(BoardId::A, 9, [299_900, 300_000], (300_000, 0), 0), []);
        assert_eq!(clock_set_wrong(BoardId::A, 9, [299_000, 300_000], (300_000, 0), 1_000), []);
    }
}
