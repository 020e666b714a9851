//! A delay: a later audience sees earlier states of the hall, and no input is applied twice.
//!
//! A public delay keeps anybody from following a position with a chess program, and this machine's clock can be set while it is played. So
//! states of the hall are held with the arrival time of their last input, by a clock that is never set. They are released after the
//! delay. Inputs that were in the log at the start have only the time of day at which they arrived.
//!
//! Pure: times come in as values.

use std::collections::VecDeque;

use delivery::Moment;

use crate::limits::DELAYED_COPIES_MAX;

/// Shortest interval between two states that are held, milliseconds. A later one takes the place of an earlier one of the same interval.
pub(super) const STEP_MIN_MS: u64 = 100;

/// Fewest intervals of a delay, however many tables there are.
const STEPS_MIN: u64 = 4;

/// Time of the run's clock by which an input had arrived that was in the log at the start, when it was `started`.
pub(super) fn arrived_ms(received_ms: u64, started: Moment) -> u64 {
    // An input from the future, by a clock that was set back since, arrived at the start at the latest.
    started.run_ms.saturating_sub(started.wall_ms.saturating_sub(received_ms))
}

/// Interval between two states that are held of a hall with `tables` tables, for one of `delays` delays.
///
/// Two states share each match that has not changed between them. So the tables of a step are what it can cost at most.
pub(super) fn step_ms(delay_ms: u64, tables: usize, delays: usize) -> u64 {
    let steps = DELAYED_COPIES_MAX / delays.max(1) / tables.max(1);
    let wanted_ms = delay_ms / (steps as u64).max(STEPS_MIN);
    // Intervals are multiples of one another: a shorter delay then never shows less than a longer one.
    let doublings = wanted_ms.div_ceil(STEP_MIN_MS).max(1).next_power_of_two();
    STEP_MIN_MS.saturating_mul(doublings)
}

/// States that are held back, oldest first, each with the time at which its last input had arrived.
#[derive(Debug)]
pub(super) struct DelayGate<T> {
    delay_ms: u64,
    held: VecDeque<(u64, T)>,
}

impl<T> DelayGate<T> {
    /// Holds nothing yet.
    pub(super) fn new(delay_ms: u64) -> DelayGate<T> {
        DelayGate { delay_ms, held: VecDeque::new() }
    }

    /// Holds the newest state, in place of an earlier one of the same interval. The last of those that are due is left.
    pub(super) fn hold(&mut self, arrived_ms: u64, state: T, step_ms: u64, now_ms: u64) {
        let step = |at_ms: u64| at_ms / step_ms;
        if self.held.back().is_some_and(|&(before_ms, _)| step(before_ms) == step(arrived_ms)) {
            self.held.pop_back();
        }
        self.held.push_back((arrived_ms, state));
        while self.held.get(1).is_some_and(|&(at_ms, _)| self.is_due(at_ms, now_ms)) {
            self.held.pop_front();
        }
    }

    fn is_due(&self, at_ms: u64, now_ms: u64) -> bool {
        // Between two moments that are cut to milliseconds it may be one less.
        now_ms.saturating_sub(at_ms) > self.delay_ms
    }

    /// The newest state whose time has come, if there is one that was not released before.
    pub(super) fn release(&mut self, now_ms: u64) -> Option<T> {
        let due = self.held.iter().take_while(|&&(at_ms, _)| self.is_due(at_ms, now_ms)).count();
        self.held.drain(..due).next_back().map(|(_, state)| state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY_MS: u64 = 900_000;
    const NOON_MS: u64 = 1_780_000_000_000;
    const START: Moment = Moment { wall_ms: NOON_MS, run_ms: NOON_MS };

    /// Time after the start at which a state is released that arrived so long after it.
    fn released_ms(arrived_ms: u64) -> u64 {
        let mut gate = DelayGate::new(DELAY_MS);
        gate.hold(arrived_ms, (), STEP_MIN_MS, 0);
        (0..)
            .map(|look| NOON_MS + look * 20)
            .find(|now_ms| gate.release(*now_ms).is_some())
            .unwrap()
            - NOON_MS
    }

    #[test]
    fn a_state_is_released_after_its_delay_and_not_before() {
        for at_ms in [0, 50, 60_000, 2_000_000] {
            let released = released_ms(NOON_MS + at_ms);
            let due = at_ms + DELAY_MS;
            assert!((due + 1..=due + 21).contains(&released), "{at_ms}: {released}");
        }
    }

    #[test]
    fn what_was_there_at_the_start_is_shown_when_its_time_has_come_and_after_the_delay_at_last() {
        let shown = |received_ms| released_ms(arrived_ms(received_ms, START));
        assert_eq!(shown(NOON_MS - DELAY_MS - 1), 0);
        assert_eq!(shown(NOON_MS - DELAY_MS + 20), 40);
        assert!(shown(NOON_MS + 86_400_000) > DELAY_MS, "the clock was set back since");
    }

    #[test]
    fn states_that_are_held_are_bounded_by_the_delay_and_the_interval() {
        for step_ms in [STEP_MIN_MS, 8 * STEP_MIN_MS] {
            let mut gate = DelayGate::new(10_000);
            for at_ms in (0..60_000).step_by(7) {
                gate.hold(NOON_MS + at_ms, at_ms, step_ms, NOON_MS + at_ms);
                assert!(gate.held.len() as u64 <= 10_000 / step_ms + 3);
            }
        }
    }

    #[test]
    fn a_longer_delay_never_shows_more_than_a_shorter_one() {
        // Intervals of the two differ, because of the tables.
        let delays_ms = [59_000, 60_000];
        let steps = delays_ms.map(|delay_ms| step_ms(delay_ms, 2_000, 2));
        let mut gates = delays_ms.map(DelayGate::new);
        let mut shown = [0, 0];
        for at_ms in (0..300_000).step_by(170) {
            for ((gate, step_ms), shown) in gates.iter_mut().zip(&steps).zip(&mut shown) {
                gate.hold(NOON_MS + at_ms, at_ms, *step_ms, NOON_MS + at_ms);
                *shown = gate.release(NOON_MS + at_ms).unwrap_or(*shown);
            }
            assert!(shown[0] >= shown[1], "{shown:?} at {at_ms}");
        }
        assert!(shown[1] > 0);
    }

    #[test]
    fn more_tables_and_delays_take_longer_intervals_and_no_more_memory() {
        assert_eq!(step_ms(5_000, 50, 1), STEP_MIN_MS);
        for (tables, delays) in [(8, 1), (50, 1), (50, 8), (200, 2), (2_000, 1)] {
            let step_ms = step_ms(DELAY_MS, tables, delays);
            let copies = (DELAY_MS / step_ms) as usize * tables * delays;
            let fewest = STEPS_MIN as usize * tables * delays;
            assert!(copies <= DELAYED_COPIES_MAX.max(fewest), "{tables} {delays}: {copies}");
            assert!(step_ms < DELAY_MS / 2);
        }
    }
}
