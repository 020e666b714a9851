//! Hub time: the one clock all readings of a table are ordered by.
//!
//! Nodes count microseconds since they booted; the hub maps that to its own time (see
//! [`hub_core::node_time`]). Hub time is monotonic within a run and looks like Unix time, so that rows
//! of several runs sort. Pure code receives it as a value; only [`HubClock`] reads a clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Microseconds since the Unix epoch, as this hub counts them.
pub use proto::link::HubTime;

use hub_core::time::after;

/// Reads hub time. Cheap to copy; all copies agree.
///
/// A rate other than 1 lets simulated nodes play faster than people: then one second of wall time
/// is `rate` seconds of hub time.
#[derive(Clone, Copy, Debug)]
pub struct HubClock {
    started: Instant,
    started_at: HubTime,
    rate: f64,
}

impl HubClock {
    /// Hub time that starts at the system's time and runs with it.
    #[must_use]
    pub fn real() -> HubClock {
        Self::accelerated(1.0, SystemTime::now())
    }

    /// Hub time that equals system time at `origin` and has run `rate` times as fast since. Hubs
    /// that are restarted during one accelerated show must be given the same origin.
    ///
    /// A rate that is not a positive number counts as 1.
    #[must_use]
    pub fn accelerated(rate: f64, origin: SystemTime) -> HubClock {
        let rate = if rate.is_finite() && rate > 0.0 { rate } else { 1.0 };
        let origin_us = origin.duration_since(UNIX_EPOCH).map_or(0, micros);
        let since = SystemTime::now().duration_since(origin).unwrap_or_default();
        HubClock {
            started: Instant::now(),
            started_at: after(HubTime::from_micros(origin_us), since.mul_f64(rate)),
            rate,
        }
    }

    /// The same clock, set forward so that it reads later than `floor`: a machine without a
    /// battery-backed clock may wake up in the past of its own journal.
    #[must_use]
    pub fn not_before(mut self, floor: HubTime) -> HubClock {
        let now = self.now();
        if now <= floor {
            let ahead = Duration::from_micros(floor.micros_since(now) + 1);
            self.started_at = after(self.started_at, ahead);
        }
        self
    }

    /// The time now.
    #[must_use]
    pub fn now(&self) -> HubTime {
        after(self.started_at, self.started.elapsed().mul_f64(self.rate))
    }

    /// Seconds of hub time in a second of wall time.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Wall time until hub time reads `deadline`.
    #[must_use]
    pub fn until(&self, deadline: HubTime) -> Duration {
        Duration::from_micros(deadline.micros_since(self.now())).div_f64(self.rate)
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_with_one_origin_agree_however_late_they_start() {
        let origin = SystemTime::now() - Duration::from_secs(100);
        let clock = HubClock::accelerated(50.0, origin);
        let origin_us =
            u64::try_from(origin.duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap();
        let ahead = clock.now().as_micros() - origin_us;
        assert!(ahead >= 5_000_000_000, "{ahead}");
    }

    #[test]
    fn a_clock_set_forward_reads_later_than_its_floor() {
        let floor = after(HubClock::real().now(), Duration::from_secs(3_600));
        assert!(HubClock::real().not_before(floor).now() > floor);
    }

    #[test]
    fn a_nonsense_rate_counts_as_one() {
        for rate in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(HubClock::accelerated(rate, SystemTime::now()).rate(), 1.0);
        }
    }
}
