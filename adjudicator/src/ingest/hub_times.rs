//! The times of hubs' own clocks, advanced by a monotonic clock.
//!
//! The log has this machine's time of each row. If that clock is set while a hub is silent, the hub's time cannot be computed from it,
//! and an order would expire before it is sent.

use std::collections::HashMap;

use delivery::Moment;

use crate::hall::HubHeard;

/// Last known time of a hub's clock.
#[derive(Clone, Copy, Debug)]
struct KnownTime {
    heard: HubHeard,
    /// Monotonic time at which that was first read, milliseconds of this run.
    seen_ms: u64,
    /// Time between its receipt and that moment, milliseconds.
    age_ms: u64,
}

/// The clocks of the connected hubs.
#[derive(Debug, Default)]
pub(crate) struct HubTimes {
    hubs: HashMap<String, KnownTime>,
}

impl HubTimes {
    /// Updates the clocks from each hub's last received row; other hubs are forgotten.
    pub(crate) fn follow<'a>(
        &mut self,
        heard: impl Iterator<Item = (&'a str, HubHeard)>,
        now: Moment,
    ) {
        let mut before = std::mem::take(&mut self.hubs);
        self.hubs = heard
            .map(|(hub, heard)| {
                let known = before.remove(hub).filter(|known| known.heard == heard);
                let known = known.unwrap_or_else(|| KnownTime {
                    heard,
                    seen_ms: now.run_ms,
                    age_ms: now.wall_ms.saturating_sub(heard.received_ms),
                });
                (hub.to_owned(), known)
            })
            .collect();
    }

    /// The present time of a hub's clock, microseconds; none for a hub that is not connected or has sent nothing.
    pub(crate) fn time_us(&self, hub: &str, now: Moment, clock_rate: f64) -> Option<u64> {
        let KnownTime { heard, seen_ms, age_ms } = self.hubs.get(hub)?;
        let passed_ms = age_ms.saturating_add(now.run_ms.saturating_sub(*seen_ms));
        let passed_us = (passed_ms as f64 * 1_000.0 * clock_rate) as u64;
        Some(heard.hub_ms.saturating_mul(1_000).saturating_add(passed_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: u64 = 3_600_000;
    const HEARD: HubHeard = HubHeard { hub_ms: 7_000, received_ms: HOUR_MS };

    fn follow(times: &mut HubTimes, wall_ms: u64, run_ms: u64) -> Option<u64> {
        let now = Moment { wall_ms, run_ms };
        times.follow([("north", HEARD)].into_iter(), now);
        times.time_us("north", now, 1.0)
    }

    #[test]
    fn a_hub_that_says_nothing_has_its_time_whatever_this_clock_is_set_to() {
        for set_ms in [1_000, 2 * HOUR_MS] {
            let mut times = HubTimes::default();
            assert_eq!(follow(&mut times, HOUR_MS + 100, 0), Some(7_100_000));
            assert_eq!(follow(&mut times, set_ms, 90_000), Some(97_100_000));
        }
    }

    #[test]
    fn a_hub_that_is_not_there_has_no_time() {
        let mut times = HubTimes::default();
        follow(&mut times, HOUR_MS, 0);
        let now = Moment { wall_ms: HOUR_MS, run_ms: 1 };
        times.follow(std::iter::empty(), now);
        assert_eq!(times.time_us("north", now, 1.0), None);
    }
}
