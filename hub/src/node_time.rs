//! From a node's time to hub time.
//!
//! A node stamps its readings with its own microsecond counter, which starts at boot and drifts (a
//! crystal is good to some 100 ppm, a ceramic resonator to 5,000). The hub only knows when a frame
//! arrived. Arrival minus node time = offset + delay, and delay is never negative but often large (a
//! resend, a busy USB bus), so averages are useless: the least delayed frames, the *lower envelope*,
//! tell the offset, and the slope of that envelope tells the drift.
//! This is the convex-hull estimator of Zhang, Liu and Xia (INFOCOM 2002) over a sliding window.

use std::collections::VecDeque;
use std::time::Duration;

use proto::link::{HubTime, NodeTime};

/// Length of one bucket of node time; of the frames in it only the least delayed is kept.
const BUCKET: Duration = Duration::from_secs(1);
/// Buckets looked at: long enough to see drift, short enough to follow temperature.
const BUCKETS_MAX: usize = 120;
/// Node time the buckets must span before the slope is believed; below it, drift counts as none.
const SPAN_FOR_DRIFT_US: i64 = 10_000_000;
/// The largest drift believed, as a fraction of time.
const DRIFT_MAX: f64 = 0.02;

/// The mapping of one node's current boot.
#[derive(Clone, Debug, Default)]
pub struct NodeTimeMap {
    /// The least delayed frame of each bucket: node time and arrival, microseconds.
    envelope: VecDeque<Sample>,
    /// Offset (hub minus node, at `reference_us` of node time) and drift, of the current envelope.
    line: Option<Line>,
    /// The latest hub time handed out: a node's readings never go back.
    latest: HubTime,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    node_us: i64,
    /// Arrival minus node time.
    offset_us: i64,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    reference_us: i64,
    offset_us: f64,
    drift: f64,
}

impl NodeTimeMap {
    /// A mapping that has seen nothing, for a node that just booted.
    #[must_use]
    pub fn new() -> NodeTimeMap {
        Self::default()
    }

    /// Forgets everything but the latest time handed out: the node rebooted.
    pub fn reboot(&mut self) {
        *self = NodeTimeMap { latest: self.latest, ..NodeTimeMap::default() };
    }

    /// Learns from a frame: sent by the node at `node_time` (or later, if it was resent), arrived at
    /// `arrival`.
    pub fn observe(&mut self, node_time: NodeTime, arrival: HubTime) {
        let (Ok(node_us), Ok(arrival_us)) =
            (i64::try_from(node_time.as_micros()), i64::try_from(arrival.as_micros()))
        else {
            return;
        };
        let sample = Sample { node_us, offset_us: arrival_us.saturating_sub(node_us) };
        let bucket = |sample: &Sample| sample.node_us.div_euclid(BUCKET.as_micros() as i64);
        match self.envelope.back_mut() {
            Some(last) if bucket(last) == bucket(&sample) => {
                if sample.offset_us >= last.offset_us {
                    return;
                }
                *last = sample;
            }
            // An older frame, resent: its delay says nothing that its bucket did not know.
            Some(last) if last.node_us > node_us => return,
            _ => {
                self.envelope.push_back(sample);
                if self.envelope.len() > BUCKETS_MAX {
                    self.envelope.pop_front();
                }
            }
        }
        self.line = Some(fit(self.envelope.make_contiguous()));
    }

    /// The hub time of a reading: never before an earlier reading of the same node, never after
    /// `arrival`.
    pub fn map(&mut self, node_time: NodeTime, arrival: HubTime) -> HubTime {
        let mapped = self.line.map_or(arrival, |line| line.at(node_time));
        self.latest = mapped.min(arrival).max(self.latest);
        self.latest
    }
}

impl Line {
    fn at(&self, node_time: NodeTime) -> HubTime {
        let node_us = i64::try_from(node_time.as_micros()).unwrap_or(i64::MAX);
        let since = node_us.saturating_sub(self.reference_us);
        let offset_us = self.offset_us + self.drift * since as f64;
        HubTime::from_micros(
            u64::try_from(node_us.saturating_add(offset_us.round() as i64)).unwrap_or(0),
        )
    }
}

/// The line below all samples that is nearest to them: the edge of the lower convex hull that
/// crosses their mean node time.
fn fit(samples: &[Sample]) -> Line {
    let least = samples.iter().copied().min_by_key(|sample| sample.offset_us);
    let Some(least) = least else {
        return Line { reference_us: 0, offset_us: 0.0, drift: 0.0 };
    };
    let flat = Line { reference_us: least.node_us, offset_us: least.offset_us as f64, drift: 0.0 };
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return flat };
    if last.node_us - first.node_us < SPAN_FOR_DRIFT_US {
        return flat;
    }
    let mean_us = samples.iter().map(|sample| i128::from(sample.node_us)).sum::<i128>()
        / samples.len() as i128;
    let hull = lower_hull(samples);
    let crossing = hull.windows(2).find(|edge| i128::from(edge[1].node_us) >= mean_us);
    let Some([left, right]) = crossing else { return flat };
    let drift =
        (right.offset_us as f64 - left.offset_us as f64) / (right.node_us - left.node_us) as f64;
    if drift.abs() > DRIFT_MAX {
        return flat;
    }
    Line { reference_us: left.node_us, offset_us: left.offset_us as f64, drift }
}

/// Andrew's monotone chain; `samples` are in order of node time.
fn lower_hull(samples: &[Sample]) -> Vec<Sample> {
    let mut hull: Vec<Sample> = Vec::with_capacity(samples.len());
    for &sample in samples {
        while let [.., a, b] = hull[..] {
            let from_a = |to: Sample| {
                (
                    i128::from(to.node_us) - i128::from(a.node_us),
                    i128::from(to.offset_us) - i128::from(a.offset_us),
                )
            };
            let ((ab_t, ab_o), (as_t, as_o)) = (from_a(b), from_a(sample));
            if ab_o * as_t < as_o * ab_t {
                break;
            }
            hull.pop();
        }
        hull.push(sample);
    }
    hull
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OFFSET_US: u64 = 1_700_000_000_000_000;

    fn node(us: u64) -> NodeTime {
        NodeTime::from_micros(us)
    }

    /// Small generator, so that a failing seed can be repeated.
    fn noise(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Runs `seconds` of frames at 20 Hz with jitter and returns the worst error after a minute, µs.
    fn worst_error_us(seed: u64, seconds: u64, drift: f64, jitter_us: f64) -> f64 {
        let mut seed = seed;
        let mut map = NodeTimeMap::new();
        let mut worst: f64 = 0.0;
        let mut arrived = 0;
        for tick in 0..seconds * 20 {
            let node_us = tick * 50_000;
            let sent = OFFSET_US as f64 + node_us as f64 * (1.0 + drift);
            // Mostly short queues; now and then a stall of up to half a second.
            let stall = if noise(&mut seed) < 0.02 { noise(&mut seed) * 500_000.0 } else { 0.0 };
            let delay = jitter_us * noise(&mut seed).powi(2) + stall;
            arrived = arrived.max((sent + delay) as u64);
            map.observe(node(node_us), HubTime::from_micros(arrived));
            let mapped = map.map(node(node_us), HubTime::from_micros(arrived));
            if tick > 1_200 {
                worst = worst.max((mapped.as_micros() as f64 - sent).abs());
            }
        }
        worst
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn readings_are_placed_within_two_milliseconds_under_jitter_stalls_and_drift(
            seed in any::<u64>(), drift_ppm in -300i32..300,
        ) {
            let worst = worst_error_us(seed, 300, f64::from(drift_ppm) * 1e-6, 8_000.0);
            prop_assert!(worst < 2_000.0, "off by {worst} us");
        }

        #[test]
        fn mapped_times_never_go_back_and_never_lie_after_the_arrival(
            steps in prop::collection::vec((0u64..200_000, 0u64..2_000_000), 1..200),
        ) {
            let mut map = NodeTimeMap::new();
            let (mut node_us, mut arrival, mut before) = (0, HubTime::from_micros(OFFSET_US), HubTime::from_micros(0));
            for (step, delay) in steps {
                node_us += step;
                arrival = arrival.max(HubTime::from_micros(OFFSET_US + node_us + delay));
                map.observe(node(node_us), arrival);
                let mapped = map.map(node(node_us), arrival);
                prop_assert!(mapped >= before && mapped <= arrival);
                before = mapped;
            }
        }

        #[test]
        fn wild_node_times_do_no_harm(times in prop::collection::vec(any::<(u64, u64)>(), 1..100)) {
            let mut map = NodeTimeMap::new();
            for (node_us, arrival) in times {
                map.observe(node(node_us), HubTime::from_micros(arrival));
                map.map(node(node_us), HubTime::from_micros(arrival));
            }
        }
    }

    #[test]
    fn the_drift_of_a_ceramic_resonator_is_found() {
        assert!(worst_error_us(7, 600, 0.005, 3_000.0) < 2_000.0);
    }

    #[test]
    fn a_reboot_restarts_the_estimate_but_not_the_order() {
        let mut map = NodeTimeMap::new();
        map.observe(node(90_000_000), HubTime::from_micros(OFFSET_US));
        let before = map.map(node(90_000_000), HubTime::from_micros(OFFSET_US));
        map.reboot();
        let arrival = crate::time::after(before, Duration::from_secs(2));
        map.observe(node(1_000), arrival);
        assert_eq!(map.map(node(1_000), arrival), arrival);
    }

    #[test]
    fn a_backlog_sent_after_a_reconnection_is_placed_when_it_happened() {
        let mut map = NodeTimeMap::new();
        for second in 0..30 {
            map.observe(
                node(second * 1_000_000),
                HubTime::from_micros(OFFSET_US + second * 1_000_000 + 1_000),
            );
        }
        let arrival = HubTime::from_micros(OFFSET_US + 40_000_000);
        map.observe(node(31_000_000), arrival);
        let mapped = map.map(node(31_000_000), arrival).as_micros();
        assert!(mapped.abs_diff(OFFSET_US + 31_001_000) < 2_000, "{mapped}");
    }
}
