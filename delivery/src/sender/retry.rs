//! Retransmission timer, and the time after which the client is replaced.
//!
//! A broker may silently drop a message for a client whose queue is full. The last message draws no repeated acknowledgement,
//! so only a timer can detect its loss: that of TCP (RFC 6298), with measured round trips, doubling, and a restart at every
//! answer.

use std::time::{Duration, Instant};

/// Without an answer for this long, or for as long as answers take lately, the oldest question or batch is sent again; doubled each time
/// up to [`super::ACKNOWLEDGEMENT_TIMEOUT`].
const RETRY_MIN: Duration = Duration::from_secs(2);
/// Maximum time between two rebuilds of the client.
const REBUILD_MAX: Duration = Duration::from_secs(120);

/// Round-trip time (RFC 6298, section 2).
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    smoothed: Duration,
    variation: Duration,
}

/// Timer of missing answers.
#[derive(Debug)]
pub(super) struct RetryTimer {
    /// Time of the last acknowledgement, or at which nothing was unacknowledged.
    progressed: Instant,
    /// Time of the last resending or answer.
    retried: Instant,
    retry_after: Duration,
    rebuild_after: Duration,
    /// The least time without an acknowledgement after which the client is replaced.
    timeout: Duration,
    round_trip: Option<RoundTrip>,
}

impl RetryTimer {
    pub(super) fn new(timeout: Duration, now: Instant) -> RetryTimer {
        let (progressed, retried) = (now, now);
        RetryTimer {
            progressed,
            retried,
            retry_after: RETRY_MIN,
            rebuild_after: timeout,
            timeout,
            round_trip: None,
        }
    }

    /// Rows that were sent once were acknowledged after this time.
    pub(super) fn measured(&mut self, time: Duration) {
        let round_trip = match self.round_trip {
            None => RoundTrip { smoothed: time, variation: time / 2 },
            Some(RoundTrip { smoothed, variation }) => RoundTrip {
                smoothed: (smoothed * 7 + time) / 8,
                variation: (variation * 3 + smoothed.abs_diff(time)) / 4,
            },
        };
        self.round_trip = Some(round_trip);
    }

    /// Maximum time of an answer at present; `None` before the first measurement.
    pub(super) fn answer_max(&self) -> Duration {
        self.round_trip.map_or(Duration::ZERO, |RoundTrip { smoothed, variation }| {
            (smoothed + variation * 4).min(super::ACKNOWLEDGEMENT_TIMEOUT)
        })
    }

    /// Resets the timer: nothing is unacknowledged, or a new message has just been sent.
    pub(super) fn rest(&mut self, now: Instant) {
        self.progressed = now;
    }

    /// Notes an answer that acknowledges nothing new: the adjudicator is online.
    pub(super) fn note_answer(&mut self, now: Instant) {
        self.retried = now;
        self.retry_after = self.answer_max().max(RETRY_MIN);
    }

    /// Notes an acknowledgement.
    pub(super) fn progress(&mut self, now: Instant) {
        self.note_answer(now);
        self.progressed = now;
        self.rebuild_after = self.timeout;
    }

    /// Restarts the timer after a rebuild of the client.
    pub(super) fn restart(&mut self, now: Instant) {
        self.note_answer(now);
        self.progressed = now;
    }

    /// Whether something is to be sent again now; the next time is later then.
    pub(super) fn take_retry(&mut self, now: Instant) -> bool {
        let is_due = now.duration_since(self.progressed.max(self.retried)) >= self.retry_after;
        if is_due {
            self.retried = now;
            self.retry_after = (self.retry_after * 2).min(super::ACKNOWLEDGEMENT_TIMEOUT);
        }
        is_due
    }

    /// Whether an acknowledgement is overdue.
    pub(super) fn is_expired(&self, now: Instant) -> bool {
        now.duration_since(self.progressed) >= self.rebuild_after
    }

    /// There is a new client.
    pub(super) fn rebuilt(&mut self, now: Instant) {
        self.rebuild_after = (self.rebuild_after * 2).min(REBUILD_MAX);
        self.restart(now);
    }

    /// Maximum time without an acknowledgement before the client is replaced.
    pub(super) fn patience(&self) -> Duration {
        self.rebuild_after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "an instant can be made in no other way, and any will do"
    )]
    fn any_instant() -> Instant {
        Instant::now()
    }

    /// Seconds at which a timer that is polled every second asks for a resending.
    fn retries_s(
        timer: &mut RetryTimer,
        start: Instant,
        seconds: std::ops::Range<u64>,
    ) -> Vec<u64> {
        seconds.filter(|&s| timer.take_retry(start + Duration::from_secs(s))).collect()
    }

    #[test]
    fn retries_come_at_doubled_times_and_begin_anew_with_every_answer() {
        let start = any_instant();
        let mut timer = RetryTimer::new(super::super::ACKNOWLEDGEMENT_TIMEOUT, start);
        assert_eq!(retries_s(&mut timer, start, 0..40), [2, 6, 14, 24, 34]);
        timer.note_answer(start + Duration::from_secs(40));
        assert_eq!(retries_s(&mut timer, start, 40..50), [42, 46]);
        assert!(timer.is_expired(start + Duration::from_secs(50)), "nothing was acknowledged");
    }

    #[test]
    fn where_answers_take_long_nothing_is_sent_again_before_one_can_be_there() {
        let start = any_instant();
        let mut timer = RetryTimer::new(super::super::ACKNOWLEDGEMENT_TIMEOUT, start);
        timer.measured(Duration::from_secs(1));
        assert_eq!(timer.answer_max(), Duration::from_secs(3));
        timer.note_answer(start);
        assert_eq!(retries_s(&mut timer, start, 0..10), [3, 9]);
        for _ in 0..100 {
            timer.measured(Duration::from_secs(1));
        }
        assert!(timer.answer_max() < Duration::from_millis(1_100), "steady answers");
    }

    #[test]
    fn the_time_between_two_clients_doubles_up_to_its_bound_and_begins_anew_with_an_acknowledgement()
     {
        let start = any_instant();
        let mut timer = RetryTimer::new(Duration::from_secs(10), start);
        let mut patience_s = Vec::new();
        for _ in 0..5 {
            timer.rebuilt(start);
            patience_s.push(timer.patience().as_secs());
        }
        assert_eq!(patience_s, [20, 40, 80, 120, 120]);
        timer.progress(start);
        assert_eq!(timer.patience().as_secs(), 10);
    }
}
