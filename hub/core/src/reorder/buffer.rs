//! Values in order of time.
//!
//! One that comes too late (resent after a lost connection for which nobody has waited so long) counts as having happened now:
//! what was handed on cannot be taken back.

use std::collections::BTreeMap;

use proto::link::HubTime;

/// Readings that may wait, as many as two nodes with buffers of 64 KB have at once; beyond it the oldest leave early.
pub const WAITING_MAX: usize = 16_384;

/// Holds values until their time has come.
#[derive(Debug)]
pub(super) struct ReorderBuffer<T> {
    waiting: BTreeMap<(HubTime, u64), T>,
    arrivals: u64,
    /// The time of the last value that left.
    reached: HubTime,
}

impl<T> Default for ReorderBuffer<T> {
    fn default() -> Self {
        ReorderBuffer { waiting: BTreeMap::new(), arrivals: 0, reached: HubTime::ZERO }
    }
}

impl<T> ReorderBuffer<T> {
    /// A buffer whose first value leaves no earlier than `reached`.
    pub(super) fn new(reached: HubTime) -> ReorderBuffer<T> {
        ReorderBuffer { reached, ..ReorderBuffer::default() }
    }

    /// Takes a value that happened at `at`. Values of one time keep the order in which they came.
    pub(super) fn push(&mut self, at: HubTime, value: T) {
        self.arrivals += 1;
        self.waiting.insert((at.max(self.reached), self.arrivals), value);
    }

    /// Values that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// The next value that happened at `until` or before, with its time.
    pub(super) fn pop(&mut self, until: HubTime) -> Option<(HubTime, T)> {
        let entry = self.waiting.first_entry()?;
        let (at, _) = *entry.key();
        if at > until && self.waiting.len() <= WAITING_MAX {
            return None;
        }
        let ((at, _), value) = self.waiting.pop_first()?;
        self.reached = self.reached.max(at);
        Some((self.reached, value))
    }

    /// Time has passed: later values leave no earlier than `at`.
    pub(super) fn advance(&mut self, at: HubTime) {
        self.reached = self.reached.max(at);
    }

    /// Time of the last value.
    pub(super) fn last(&self) -> Option<HubTime> {
        self.waiting.last_key_value().map(|((at, _), _)| *at)
    }

    /// Time of the next value.
    pub(super) fn first(&self) -> Option<HubTime> {
        self.waiting.first_key_value().map(|((at, _), _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(us: u64) -> HubTime {
        HubTime::from_micros(us)
    }

    #[test]
    fn a_press_that_arrived_first_waits_for_the_square_that_came_before_it() {
        let mut buffer = ReorderBuffer::default();
        buffer.push(at(100), "press");
        buffer.push(at(90), "square");
        assert_eq!(buffer.pop(at(80)), None);
        assert_eq!(buffer.pop(at(200)), Some((at(90), "square")));
        assert_eq!(buffer.pop(at(200)), Some((at(100), "press")));
    }

    #[test]
    fn what_comes_too_late_counts_as_now() {
        let mut buffer = ReorderBuffer::default();
        buffer.push(at(100), "press");
        buffer.pop(at(200));
        buffer.push(at(50), "resent");
        assert_eq!(buffer.pop(at(200)), Some((at(100), "resent")));
    }

    proptest! {
        #[test]
        fn times_never_go_back_and_nothing_is_lost(
            steps in prop::collection::vec((0u64..1_000, 0u64..1_000), 1..200),
        ) {
            let mut buffer = ReorderBuffer::default();
            let (mut left, mut before) = (0, HubTime::ZERO);
            for &(time, until) in &steps {
                buffer.push(at(time), ());
                while let Some((time, ())) = buffer.pop(at(until)) {
                    prop_assert!(time >= before);
                    before = time;
                    left += 1;
                }
            }
            while buffer.pop(HubTime::MAX).is_some() {
                left += 1;
            }
            prop_assert_eq!(left, steps.len());
        }
    }
}
