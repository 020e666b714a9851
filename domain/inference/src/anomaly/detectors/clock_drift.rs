//! `clock-drift`: a clock runs faster or slower than time.
//!
//! ```text
//! d = max(0, |counted / passed − 1| − uncertain / passed)
//! confidence = CERTAINLY if d ≥ CERTAINLY_WRONG_BY,  PROBABLY if d ≥ WRONG_BY,  otherwise HARDLY
//! ```
//!
//! `passed` is the time that passed while the clock ran, `counted` the time that its display
//! counted meanwhile, and `uncertain` the error that the resolution of the readings allows. There
//! is no finding before LEAST_WATCHED_US have passed.
//!
//! Serves the topic defective clocks: only a director may declare a clock defective and change it.
//! Both players suffer alike, so the finding names nobody.

use crate::anomaly::findings::finding::prelude::*;

/// Running time that must have been watched, microseconds. In less time the delays of the readings
/// count too much. Assumed.
const LEAST_WATCHED_US: u64 = 60_000_000;
/// Relative error of the rate from which a clock is out of order. Assumed: a quartz is right to a
/// ten-thousandth.
const WRONG_BY: f64 = 0.005;
/// Relative error of the rate from which the fault is nearly certain. Assumed.
const CERTAINLY_WRONG_BY: f64 = 0.008;
/// Confidence in a fault that is nearly certain, 0 to 1. Assumed.
const CERTAINLY: f64 = 0.97;
/// Confidence in one that is not, 0 to 1. Assumed: above the threshold at which it is reported.
const PROBABLY: f64 = 0.7;
/// Confidence where the clock seems to be in order, 0 to 1. Assumed: low enough to take an earlier
/// report back.
const HARDLY: f64 = 0.02;
/// Times that the count of a run rests on: both players' in its first reading and in its last.
/// Rule: each may be wrong by the resolution.
const TIMES_OF_A_RUN: i64 = 4;

/// Rate of a clock, over all intervals that could be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Running {
    /// Time that passed while the clock ran, microseconds.
    pub(crate) passed_us: u64,
    /// Time that the display counted meanwhile, milliseconds.
    pub(crate) counted_ms: i64,
    /// Largest error of the count by the resolution of the readings, milliseconds.
    pub(crate) uncertain_ms: i64,
    /// Whether the latest reading belongs to the count. The next interval then adds no uncertainty.
    unbroken: bool,
}

impl Running {
    /// Adds an interval between two readings. Each of the two times in a reading may be wrong by
    /// `resolution_ms` either way. In a run of adjacent intervals only the first and the last
    /// reading add uncertainty.
    pub(crate) fn add(&mut self, passed_us: u64, counted_ms: i64, resolution_ms: i64) {
        self.passed_us += passed_us;
        self.counted_ms += counted_ms;
        if !std::mem::replace(&mut self.unbroken, true) {
            self.uncertain_ms += TIMES_OF_A_RUN * resolution_ms;
        }
    }

    /// The next readings do not belong to the count.
    pub(crate) fn interrupt(&mut self) {
        self.unbroken = false;
    }
}

/// A finding for a clock that has been watched for long enough, also for one in order: its low
/// confidence takes an earlier report back. `t_us`: when play began, microseconds.
pub(crate) fn clock_drift(board: BoardId, t_us: u64, running: Running) -> Option<Finding> {
    if running.passed_us < LEAST_WATCHED_US {
        return None;
    }
    let passed_ms = running.passed_us as f64 / 1_000.0;
    let off = running.counted_ms as f64 / passed_ms - 1.0;
    let size = (off.abs() - running.uncertain_ms as f64 / passed_ms).max(0.0);
    let confidence = match size {
        _ if size >= CERTAINLY_WRONG_BY => CERTAINLY,
        _ if size >= WRONG_BY => PROBABLY,
        _ => HARDLY,
    };
    let evidence = format!(
        "The clock of board {board} counted {} s while {} s passed: it runs {:.1} % too {}.",
        words::seconds(running.counted_ms.unsigned_abs() * 1_000),
        words::seconds(running.passed_us),
        100.0 * size,
        if off > 0.0 { "fast" } else { "slow" },
    );
    Some(Finding::new(AnomalyCode::ClockDrift, t_us, confidence, evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift(passed_us: u64, counted_ms: i64) -> f64 {
        coarse_drift(passed_us, counted_ms, 0)
    }

    fn coarse_drift(passed_us: u64, counted_ms: i64, resolution_ms: i64) -> f64 {
        let mut running = Running::default();
        running.add(passed_us, counted_ms, resolution_ms);
        clock_drift(BoardId::A, 5, running).map_or(0.0, |found| found.confidence)
    }

    #[test]
    fn whole_seconds_that_come_late_are_no_drift_until_they_add_up() {
        assert!(coarse_drift(90_000_000, 88_200, 1_000) < 0.1);
        assert!(coarse_drift(600_000_000, 588_000, 1_000) > 0.9);
    }

    #[test]
    fn two_percent_slow_is_found_after_a_minute_and_not_before() {
        assert!(drift(90_000_000, 88_200) > 0.9);
        assert_eq!(drift(30_000_000, 29_400), 0.0);
    }

    #[test]
    fn a_clock_in_order_is_no_finding() {
        assert!(drift(90_000_000, 90_030) < 0.1);
    }
}
