//! `clock-drift`: a clock runs faster or slower than time does.
//!
//! Serves the rules by which only a director may find a clock defective and have it replaced
//! (`us-chess-bughouse-2018 21`, `mcsc-bughouse 22`, `uscf-bughouse 22`, `nc-bughouse 22`, `nc-blitz 18`). Both
//! players suffer alike, so nobody is named.

use rules::BoardId;

use super::support::{finding::Finding, words};
use crate::report::AnomalyCode;

/// Running time that must have been watched, microseconds: in less, the readings' own delays count too much.
const LEAST_WATCHED_US: u64 = 60_000_000;
/// A quartz is right to a ten-thousandth; more than this part of the time is no clock in order.
const WRONG_BY: f64 = 0.005;
/// Beyond this it is as good as certain.
const CERTAINLY_WRONG_BY: f64 = 0.008;

/// How a clock ran, over all the time that could be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Running {
    /// Time that passed while it ran, microseconds.
    pub(crate) passed_us: u64,
    /// Time that its display counted meanwhile, milliseconds.
    pub(crate) counted_ms: i64,
    /// How wrong the count may be by the coarseness of the readings, milliseconds.
    pub(crate) uncertain_ms: i64,
    /// The last reading belongs to the count: the next adds no doubt of its own.
    unbroken: bool,
}

impl Running {
    /// Another interval between two readings, each of whose two times may be wrong by `resolution_ms` either way. Of readings
    /// that follow each other only the first and the last count.
    pub(crate) fn add(&mut self, passed_us: u64, counted_ms: i64, resolution_ms: i64) {
        self.passed_us += passed_us;
        self.counted_ms += counted_ms;
        if !std::mem::replace(&mut self.unbroken, true) {
            self.uncertain_ms += 4 * resolution_ms;
        }
    }

    /// Readings in between did not count.
    pub(crate) fn interrupt(&mut self) {
        self.unbroken = false;
    }
}

/// A finding for a clock that has been watched for long enough and runs wrong; `t_us` is when it began to run.
pub(crate) fn clock_drift(board: BoardId, t_us: u64, running: Running) -> Option<Finding> {
    if running.passed_us < LEAST_WATCHED_US {
        return None;
    }
    let passed_ms = running.passed_us as f64 / 1_000.0;
    let off = running.counted_ms as f64 / passed_ms - 1.0;
    let size = (off.abs() - running.uncertain_ms as f64 / passed_ms).max(0.0);
    let confidence = match size {
        _ if size >= CERTAINLY_WRONG_BY => 0.97,
        _ if size >= WRONG_BY => 0.7,
        // Still said, so that an earlier doubt is taken back.
        _ => 0.02,
    };
    Some(Finding {
        code: AnomalyCode::ClockDrift,
        side: None,
        t_us,
        confidence,
        slot: None,
        reason: None,
        evidence: format!(
            "The clock of board {board} counted {} s while {} s passed: it runs {:.1} % too {}.",
            words::seconds(running.counted_ms.unsigned_abs() * 1_000),
            words::seconds(running.passed_us),
            100.0 * size,
            if off > 0.0 { "fast" } else { "slow" },
        ),
    })
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
