//! Time of day at the program's start, advanced by a monotonic clock.
//!
//! A machine's clock may be set in play: by time synchronisation, by hand, or by a false time server. The end of a device's permission,
//! deadlines, the expiry of orders and an audience's delay must not depend on that.

use std::{
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use delivery::Moment;

/// This machine's time, Unix milliseconds.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A run of the program.
#[derive(Clone, Copy, Debug)]
struct Run {
    since: Instant,
    began_ms: u64,
}

impl Run {
    /// The time at a given duration after the run's beginning.
    fn at(self, passed: Duration) -> u64 {
        self.began_ms.saturating_add(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Unix milliseconds, as if the clock had not been set since the program started.
pub(crate) fn run_ms() -> u64 {
    static RUN: OnceLock<Run> = OnceLock::new();
    let run = RUN.get_or_init(|| Run { since: Instant::now(), began_ms: now_ms() });
    run.at(run.since.elapsed())
}

/// The present moment by the time of day and by the monotonic clock.
pub(crate) fn now() -> Moment {
    Moment { wall_ms: now_ms(), run_ms: run_ms() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_on_from_where_it_began_whatever_the_time_of_day_is() {
        let run = Run { since: Instant::now(), began_ms: 1_000 };
        assert_eq!((run.at(Duration::ZERO), run.at(Duration::from_secs(3))), (1_000, 4_000));
        let (first, second) = (run_ms(), run_ms());
        assert!(first <= second && second.abs_diff(now_ms()) < 60_000);
    }
}
