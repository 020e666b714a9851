//! `clock-jump`: a running clock shows a time that cannot have come about by running.
//!
//! ```text
//! τ = TOLERANCE_MS + 2 · resolution
//! finding if  max over sides (gained − allowed) > τ                 (a side has too much time)
//!         or  gained_White + gained_Black < −(passed + τ + 2 · resolution)   (too much time has gone)
//! confidence = CONFIDENCE
//! ```
//!
//! `gained` is the change of a side's display between two readings, `allowed` the time that the
//! time control may have [added](crate::anomaly::segments::clock_allowance), `passed` the time between the
//! readings, `resolution` the resolution of the clock. Somebody has touched the settings, the clock
//! has fallen, or it is defective. While the clock is stopped, times are changed for good reasons,
//! and there is no finding.
//!
//! Serves the topic defective clocks.

use crate::anomaly::{
    findings::finding::prelude::*,
    segments::clock_allowance::{Interval, ms, passed_us},
};

/// Difference that a late reading or a rounding display explains, milliseconds. Assumed.
const TOLERANCE_MS: i64 = 2_500;
/// Confidence of a jump. The doubt: readings may have been lost. Assumed.
const CONFIDENCE: f64 = 0.95;

/// A finding if the later reading of an interval without a stop does not follow from the earlier.
/// `allowed_ms`: time that White's and Black's clock may have gained by the time control,
/// milliseconds. `resolution_ms`: largest error of each time by the resolution of the clock, either
/// way, milliseconds.
pub(crate) fn clock_jump(
    board: BoardId,
    interval: Interval,
    allowed_ms: [i64; 2],
    resolution_ms: i64,
) -> Option<Finding> {
    let passed_ms = ms(passed_us(interval));
    let [before_ms, after_ms] = interval.map(|shown| shown.left_ms);
    let gained = [0, 1].map(|side| after_ms[side].saturating_sub(before_ms[side]));
    let excess = [0, 1].map(|side| gained[side].saturating_sub(allowed_ms[side]));
    let tolerance_ms = TOLERANCE_MS + 2 * resolution_ms;
    let gone_ms = passed_ms + tolerance_ms + 2 * resolution_ms;
    let mut both = false;
    let (side, by_ms) = if excess[0].max(excess[1]) > tolerance_ms {
        let side = usize::from(excess[1] > excess[0]);
        (side, excess[side])
    } else if gained[0].saturating_add(gained[1]) < -gone_ms {
        let side = usize::from(gained[1] < gained[0]);
        let by_ms = gained[0].saturating_add(gained[1]).saturating_add(passed_ms);
        both = gained[1 - side] < 0;
        (side, by_ms)
    } else {
        return None;
    };
    let color = Color::ALL[side];
    let passed = words::seconds(passed_ms.unsigned_abs() * 1_000);
    let by = words::seconds(by_ms.unsigned_abs() * 1_000);
    let of = |ms: [i64; 2]| {
        format!("{} for White and {} for Black", words::minutes(ms[0]), words::minutes(ms[1]))
    };
    let evidence = if both {
        // Only one side's time runs at once, so the times are judged together.
        format!(
            "The clock of board {board} showed {}, and {passed} s later {}: together {by} s less than they can be.",
            of(before_ms),
            of(after_ms),
        )
    } else {
        format!(
            "The clock of board {board} showed {} for {}, and {passed} s later {}: {by} s {} than it can be.",
            words::minutes(before_ms[side]),
            words::side(color),
            words::minutes(after_ms[side]),
            if by_ms > 0 { "more" } else { "less" },
        )
    };
    Some(Finding::new(AnomalyCode::ClockJump, interval[1].t_us, CONFIDENCE, evidence).by(color))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensing::clock::DisplayReading;

    fn jump(after_ms: [i64; 2], allowed_ms: i64) -> Option<Finding> {
        let before_ms = [100_000, 200_000];
        coarse_jump(before_ms, after_ms, allowed_ms, 0)
    }

    fn coarse_jump(
        before_ms: [i64; 2],
        after_ms: [i64; 2],
        allowed_ms: i64,
        resolution_ms: i64,
    ) -> Option<Finding> {
        let interval = [(4_000_000, before_ms), (5_000_000, after_ms)]
            .map(|(t_us, left_ms)| DisplayReading { t_us, left_ms, running: Some(Color::White) });
        clock_jump(BoardId::A, interval, [allowed_ms; 2], resolution_ms)
    }

    #[test]
    fn a_second_late_before_and_a_second_early_after_is_no_jump_of_a_coarse_clock() {
        let before_ms = [100_000, 200_000];
        assert_eq!(coarse_jump(before_ms, [96_000, 199_000], 0, 1_000), None);
        assert!(coarse_jump(before_ms, [92_000, 199_000], 0, 0).is_some());
        assert!(coarse_jump(before_ms, [90_000, 199_000], 0, 1_000).is_some());
    }

    #[test]
    fn running_is_no_jump_and_neither_is_what_the_time_control_allows() {
        assert_eq!(jump([99_000, 200_000], 0), None);
        assert_eq!(jump([100_000, 200_000], 0), None);
        assert_eq!(jump([104_000, 200_000], 5_000), None);
    }

    #[test]
    fn time_gone_on_both_sides_is_stated_as_less() {
        let interval = [(0, [300_000, 300_000]), (10_000_000, [289_000, 296_000])]
            .map(|(t_us, left_ms)| DisplayReading { t_us, left_ms, running: Some(Color::White) });
        let less = clock_jump(BoardId::A, interval, [0; 2], 0).expect("a finding").evidence;
        assert!(less.contains("5:00 for White and 5:00 for Black, and 10.0 s later"), "{less}");
        assert!(less.ends_with("together 5.0 s less than they can be."), "{less}");
    }

    #[test]
    fn time_that_comes_from_nowhere_or_vanishes_is_a_jump() {
        let more = jump([99_500, 210_000], 0).expect("a finding");
        assert_eq!(more.side, Some(Color::Black));
        assert!(more.evidence.ends_with("3:30: 10.0 s more than it can be."), "{}", more.evidence);
        let less = jump([40_000, 200_000], 0).expect("a finding");
        assert_eq!(less.side, Some(Color::White));
        assert!(less.evidence.contains("59.0 s less"), "{}", less.evidence);
    }
}
