//! Sums of hub time and spans of it.

use std::time::Duration;

use proto::link::HubTime;

/// `time` and `duration` later.
#[must_use]
pub const fn after(time: HubTime, duration: Duration) -> HubTime {
    time.plus_micros(micros(duration))
}

/// `time` and `duration` earlier, not before the epoch.
#[must_use]
pub const fn before(time: HubTime, duration: Duration) -> HubTime {
    time.minus_micros(micros(duration))
}

/// A span of wall time as hub time, of which a second of wall time has `rate` seconds.
#[must_use]
pub fn span(wall: Duration, rate: f64) -> Duration {
    wall.mul_f64(rate)
}

const fn micros(duration: Duration) -> u64 {
    let micros = duration.as_micros();
    if micros > u64::MAX as u128 { u64::MAX } else { micros as u64 }
}
