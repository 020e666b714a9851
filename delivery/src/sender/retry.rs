//! When what nobody has answered is sent again, and when the client is to be replaced.
//!
//! A broker may drop a message for a client whose queue is full, and say nothing of it. A message that was the last one draws no repeated
//! acknowledgement, so only time tells that it is lost: the retransmission timer of TCP (RFC 6298), with its measured round trips, its
//! doubling and its new beginning at every answer.

use std::time::{Duration, Instant};

/// Without an answer for this long, or for as long as answers take lately, the oldest question or batch is sent again; doubled each time
/// up to [`super::ACKNOWLEDGEMENT_TIMEOUT`].
const RETRY_MIN: Duration = Duration::from_secs(2);
/// Longest time between two clients that are built anew.
const REBUILD_MAX: Duration = Duration::from_secs(120);

/// How long answers take (RFC 6298, section 2).
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    smoothed: Duration,
    variation: Duration,
}

/// How long there has been no answer, and what follows from it.
#[derive(Debug)]
pub(super) struct RetryTimer {
    /// When something was last acknowledged, or there was nothing to acknowledge.
    progressed: Instant,
    /// When something was last sent again, or heard.
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

    /// How long an answer may take at present; nothing while none was measured.
    pub(super) fn answer_max(&self) -> Duration {
        self.round_trip.map_or(Duration::ZERO, |RoundTrip { smoothed, variation }| {
            (smoothed + variation * 4).min(super::ACKNOWLEDGEMENT_TIMEOUT)
        })
    }

    /// Nothing is waited for, or something new has just been sent.
    pub(super) fn rest(&mut self, now: Instant) {
        self.progressed = now;
    }

    /// An answer came that acknowledges nothing new: somebody listens.
    pub(super) fn hear(&mut self, now: Instant) {
        self.retried = now;
        self.retry_after = self.answer_max().max(RETRY_MIN);
    }

    /// Something was acknowledged.
    pub(super) fn progress(&mut self, now: Instant) {
        self.hear(now);
        self.progressed = now;
        self.rebuild_after = self.timeout;
    }

    /// Everything begins anew: nobody has had the time to answer.
    pub(super) fn restart(&mut self, now: Instant) {
        self.hear(now);
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

    /// Whether somebody ought to have acknowledged by now.
    pub(super) fn is_expired(&self, now: Instant) -> bool {
        now.duration_since(self.progressed) >= self.rebuild_after
    }

    /// There is a new client.
    pub(super) fn rebuilt(&mut self, now: Instant) {
        self.rebuild_after = (self.rebuild_after * 2).min(REBUILD_MAX);
        self.restart(now);
    }

    /// How long nobody may acknowledge before the client is replaced.
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

    /// Seconds after the beginning at which a timer that is looked at every second says that something is sent again.
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
        timer.hear(start + Duration::from_secs(40));
        assert_eq!(retries_s(&mut timer, start, 40..50), [42, 46]);
        assert!(timer.is_expired(start + Duration::from_secs(50)), "nothing was acknowledged");
    }

    #[test]
    fn where_answers_take_long_nothing_is_sent_again_before_one_can_be_there() {
        let start = any_instant();
        let mut timer = RetryTimer::new(super::super::ACKNOWLEDGEMENT_TIMEOUT, start);
        timer.measured(Duration::from_secs(1));
        assert_eq!(timer.answer_max(), Duration::from_secs(3));
        timer.hear(start);
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
