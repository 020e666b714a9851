//! Part of the log that a delayed stage may show by now.
//!
//! A public delay keeps anybody from following a position with a chess program, and this machine's clock can be set while it is played. So
//! what arrives is held back by a clock that is never set. Only of what was in the log at the start nothing is known but the time of day
//! at which it came.
//!
//! Pure: times come in as values.

use std::collections::VecDeque;

use delivery::Moment;

/// Delayed inputs.
#[derive(Debug)]
pub(crate) struct HeldBack {
    /// By this much, milliseconds.
    delay_ms: u64,
    /// The newest input at the start.
    last_at_start: u64,
    /// The start.
    started: Moment,
    /// The newest input at moments of the run, milliseconds by the clock that is never set: one for each look at which there was something new within
    /// the delay, so its looks bound how many there are.
    newest: VecDeque<(u64, u64)>,
    /// The last input that was not in the log at the start and may be shown.
    shown: u64,
}

impl HeldBack {
    /// From a start on, at which the log's newest input was `last_at_start`.
    pub(crate) fn new(delay_ms: u64, last_at_start: u64, started: Moment) -> HeldBack {
        HeldBack { delay_ms, last_at_start, started, newest: VecDeque::new(), shown: 0 }
    }

    /// The log's newest input is `last` at `run_ms` of the clock that is never set: what is in the log had arrived by then.
    pub(crate) fn look(&mut self, last: u64, run_ms: u64) {
        let known =
            self.newest.back().map_or(self.last_at_start.max(self.shown), |&(last, _)| last);
        if last > known {
            self.newest.push_back((last, run_ms));
        }
        while let Some(&(last, at_ms)) = self.newest.front()
            && run_ms.saturating_sub(at_ms) >= self.delay_ms
        {
            self.shown = last;
            self.newest.pop_front();
        }
    }

    /// The last input that may be shown, or that it takes its time of day to say of.
    pub(crate) fn last(&self) -> u64 {
        self.shown.max(self.last_at_start)
    }

    /// Whether an input may be shown at the last look, which was at `run_ms`; `received_ms`: the time of day at which it came, Unix
    /// milliseconds.
    pub(crate) fn is_due(&self, input: u64, received_ms: u64, run_ms: u64) -> bool {
        if input > self.last_at_start {
            return input <= self.shown;
        }
        // What came in the future, by a clock that was set back since, came at the start at the latest.
        let before_ms = self.started.wall_ms.saturating_sub(received_ms);
        before_ms.saturating_add(run_ms.saturating_sub(self.started.run_ms)) >= self.delay_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY_MS: u64 = 900_000;
    const NOON_MS: u64 = 1_780_000_000_000;
    const START: Moment = Moment { wall_ms: NOON_MS, run_ms: 0 };
    const LOOK_EVERY_MS: u64 = 100;

    /// Time at which an input that arrives `at_ms` after the start is shown, at any time of day.
    fn shown_ms(at_ms: u64, received_ms: u64) -> u64 {
        let mut held = HeldBack::new(DELAY_MS, 7, START);
        let mut looks = (0..).map(|look| look * LOOK_EVERY_MS);
        let is_shown = |run_ms: &u64| {
            held.look(7 + u64::from(*run_ms >= at_ms), *run_ms);
            held.is_due(8, received_ms, *run_ms)
        };
        looks.find(is_shown).unwrap()
    }

    #[test]
    fn the_delay_is_what_it_is_however_the_clock_was_set() {
        for at_ms in [0, 50, 60_000, 2_000_000] {
            for step_ms in [0, -1_800_000, 1_800_000, -86_400_000, 86_400_000] {
                let shown = shown_ms(at_ms, (NOON_MS + at_ms).saturating_add_signed(step_ms));
                let most = at_ms + DELAY_MS + LOOK_EVERY_MS;
                assert!((at_ms + DELAY_MS..=most).contains(&shown), "{at_ms} {step_ms}: {shown}");
            }
        }
    }

    #[test]
    fn what_was_there_at_the_start_is_shown_when_its_time_has_come_and_after_the_delay_at_last() {
        let held = HeldBack::new(DELAY_MS, 7, START);
        let shown = |received_ms: u64| (0..).find(|run_ms| held.is_due(7, received_ms, *run_ms));
        assert_eq!(shown(NOON_MS - DELAY_MS), Some(0));
        assert_eq!(shown(NOON_MS - DELAY_MS + 20), Some(20));
        assert_eq!(shown(NOON_MS + 86_400_000), Some(DELAY_MS), "the clock was set back since");
    }

    #[test]
    fn what_is_remembered_is_bounded_by_the_delay() {
        let mut held = HeldBack::new(1_000, 0, START);
        for look in 0..10_000 {
            held.look(look * 500, look * LOOK_EVERY_MS);
            assert!(held.newest.len() as u64 <= 1_000 / LOOK_EVERY_MS + 1);
        }
    }
}
