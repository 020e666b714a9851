//! Congestion window in messages of rows: additive increase and multiplicative decrease, as TCP's congestion control (RFC
//! 5681). Pure.
//!
//! An adjudicator drops what it has no room for, and takes no row behind one that is missing. So whatever a hub has on its way
//! behind a dropped message was sent in vain. A hub whose message was dropped halves its window, and widens it a little with
//! every few windows that are acknowledged. Messages are counted, not rows, because that is how the queues behind are bounded;
//! rows that wait meanwhile go together in one message, which costs less than many.

/// Messages on their way after a connection (as RFC 3390 has it for TCP). A hall's hub writes some rows a second and never needs more.
const INITIAL: usize = 4;
/// Maximum number of messages in flight.
const WINDOW_MAX: usize = 64;
/// Number of acknowledged windows after which the window grows by one message, once a message was dropped. TCP takes one. But
/// where two hundred hubs share a queue of 256 messages, each has hardly more than one, and each attempt at a second is
/// dropped.
const WINDOWS_BEFORE_GROWTH: usize = 16;

/// The window, in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Congestion {
    window: usize,
    /// Below this the window grows by every message that is acknowledged (slow start).
    threshold: usize,
    /// Messages that were acknowledged since the window last changed.
    acknowledged: usize,
}

impl Default for Congestion {
    fn default() -> Congestion {
        Congestion { window: INITIAL, threshold: WINDOW_MAX, acknowledged: 0 }
    }
}

impl Congestion {
    /// Maximum number of messages in flight now, 1 to [`WINDOW_MAX`].
    pub(super) fn window(&self) -> usize {
        self.window
    }

    /// `count` of `on_their_way` messages were acknowledged. A window that was not full has not shown that more would have been taken
    /// (RFC 7661).
    pub(super) fn acknowledged(&mut self, count: usize, on_their_way: usize) {
        if on_their_way < self.window {
            return;
        }
        if self.window < self.threshold {
            self.window = (self.window + count).min(self.threshold);
            return;
        }
        self.acknowledged += count;
        if self.acknowledged >= self.window * WINDOWS_BEFORE_GROWTH {
            self.acknowledged = 0;
            self.window = (self.window + 1).min(WINDOW_MAX);
        }
    }

    /// Messages were dropped on the way.
    pub(super) fn dropped(&mut self) {
        self.window = (self.window / 2).max(1);
        self.threshold = self.window;
        self.acknowledged = 0;
    }

    /// Notes that no acknowledgement arrived in time.
    pub(super) fn timed_out(&mut self) {
        self.dropped();
        self.window = 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_window_doubles_until_something_is_dropped_halves_then_and_grows_slowly() {
        let mut congestion = Congestion::default();
        for expected in [8, 16, 32] {
            let window = congestion.window();
            congestion.acknowledged(window, window);
            assert_eq!(congestion.window(), expected);
        }
        congestion.dropped();
        assert_eq!(congestion.window(), 16);
        for _ in 0..WINDOWS_BEFORE_GROWTH {
            assert_eq!(congestion.window(), 16);
            congestion.acknowledged(16, 16);
        }
        assert_eq!(congestion.window(), 17);
    }

    #[test]
    fn after_a_silence_one_message_goes_and_half_the_window_is_soon_reached_again() {
        let mut congestion = Congestion { window: 20, ..Congestion::default() };
        congestion.timed_out();
        assert_eq!(congestion.window(), 1);
        for _ in 0..4 {
            let window = congestion.window();
            congestion.acknowledged(window, window);
        }
        assert_eq!(congestion.window(), 10);
    }

    #[test]
    fn a_window_that_is_not_full_does_not_grow() {
        let mut congestion = Congestion::default();
        for _ in 0..1_000 {
            congestion.acknowledged(1, 1);
        }
        assert_eq!(congestion.window(), INITIAL);
    }

    proptest! {
        #[test]
        fn one_message_may_always_go_and_never_more_than_the_most(
            steps in prop::collection::vec((0u8..4, 1usize..80), 1..200),
        ) {
            let mut congestion = Congestion::default();
            for (step, count) in steps {
                let before = congestion.window();
                match step {
                    0 => congestion.dropped(),
                    1 => congestion.timed_out(),
                    _ => congestion.acknowledged(count.min(before), before),
                }
                prop_assert!((1..=WINDOW_MAX).contains(&congestion.window()));
                prop_assert!(step > 1 || congestion.window() <= before.div_ceil(2));
                prop_assert!(step <= 1 || congestion.window() <= 2 * before);
            }
        }
    }
}
