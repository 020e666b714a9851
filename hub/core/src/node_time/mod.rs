//! From a node's time to hub time.
//!
//! A node stamps its readings with its own microsecond counter, which starts at boot and drifts (a
//! crystal is good to some 100 ppm, a ceramic resonator to 5,000). The hub knows when a frame
//! arrived, and when it asked the question that the frame answers: the frame was made in between. Delays are often
//! large (a resend, a busy USB bus, a hub that gets no processor), so averages are useless: the least delayed
//! frames of either direction tell how the clocks stand, and how they drift ([`fit`]).
//!
//! The remaining error is half the difference between the least times of the two directions, which cannot be observed: on a line of
//! known speed the time of the frames' own bytes is taken off before.

mod fit;

use fit::{Bound, Bounds, ClockFit};
use proto::link::{FrameTiming, HubTime, NodeTime, REQUEST_SNAPSHOT_BYTES, STAMP_AGE_MAX_US};

/// Number of exchanges after which a node's time is known well: the scatter of both directions can be estimated.
const EXCHANGES_MIN: u32 = 8;
/// Frames that answer no question bound from above only. Beyond a number of bounds, one such frame in this time is enough, in µs of node
/// time. More would push out those of the minute before.
const ENOUGH_BOUNDS: usize = 64;
const UNASKED_INTERVAL_US: i64 = 400_000;
/// An exchange that took longer says nothing of when the node made its answer, µs: the cable was out in between, or the line stood. With few
/// others its lower bound would draw the node's time back by half of that.
const EXCHANGE_MAX_US: u64 = 1_000_000;
/// Time after the last answer, in µs, for which the estimated drift is good enough, even if it rests on a short time: a crystal that
/// is 300 ppm wrong makes 0.9 ms of it.
const TRUSTED_MIN_US: u64 = 3_000_000;
/// The longest such time, µs: bounds are kept for as long.
const TRUSTED_MAX_US: u64 = fit::WINDOW.as_micros() as u64;
/// Error by drift until the next exchange, µs: a second of what is usual.
const DRIFT_ERROR_US: f64 = 300.0;
/// Start bit, eight data bits, stop bit.
const BITS_PER_BYTE: u64 = 10;

/// The mapping of one node's current boot.
#[derive(Clone, Debug, Default)]
pub struct NodeTimeMap {
    /// Speed of a line on which bytes follow each other bit by bit; none where they come in packets, or where it is unknown.
    baud: Option<u32>,
    upper: Bounds,
    lower: Bounds,
    line: Option<ClockFit>,
    /// Exchanges with this boot.
    exchanges: u32,
    /// Times at which the first and the last of them were answered.
    answered: (HubTime, HubTime),
    /// The latest hub time handed out: a node's readings never go back.
    latest: HubTime,
}

impl NodeTimeMap {
    /// A mapping that has seen nothing, for a node that just booted.
    #[must_use]
    pub fn new() -> NodeTimeMap {
        Self::default()
    }

    /// Forgets everything but the line's speed and the latest time handed out: the node rebooted.
    pub fn reboot(&mut self) {
        *self = NodeTimeMap { baud: self.baud, latest: self.latest, ..NodeTimeMap::default() };
    }

    /// The node is at a line of this speed in bits a second, or at one that carries packets or is unknown. It counts for frames from now on.
    pub fn set_baud(&mut self, baud: Option<u32>) {
        self.baud = baud.filter(|&baud| baud > 0);
    }

    /// Learns from a frame that arrived at `arrival`.
    pub fn observe(&mut self, timing: &FrameTiming, arrival: HubTime) {
        let (Some(node_us), Some(arrival_us)) =
            (micros(timing.made.as_micros()), micros(arrival.as_micros()))
        else {
            return;
        };
        let is_recent = |asked: &HubTime| arrival.micros_since(*asked) <= EXCHANGE_MAX_US;
        let asked = timing.asked.filter(is_recent);
        if asked.is_none() && self.has_enough(node_us) {
            return;
        }
        let bound = |hub_us: i64, wire_us| Bound {
            node_us,
            offset_us: hub_us.saturating_sub(node_us),
            wire_us,
        };
        self.upper.push(bound(arrival_us, self.wire_us(timing.bytes)));
        if let Some(asked_us) = asked.and_then(|asked| micros(asked.as_micros())) {
            // The node may have taken its time before the question came.
            let earliest_us = asked_us.saturating_sub(STAMP_AGE_MAX_US as i64);
            let is_first = self.exchanges == 0;
            self.answered = (if is_first { arrival } else { self.answered.0 }, arrival);
            self.exchanges = self.exchanges.saturating_add(1);
            self.lower.push(bound(earliest_us, self.wire_us(REQUEST_SNAPSHOT_BYTES)));
        }
        self.upper.forget_before(node_us);
        self.lower.forget_before(node_us);
        self.line = fit::fit(&self.upper, &self.lower);
    }

    /// Whether one more upper bound at `node_us` would tell nothing.
    fn has_enough(&self, node_us: i64) -> bool {
        let recent = |last_us: i64| node_us.saturating_sub(last_us) < UNASKED_INTERVAL_US;
        self.upper.len() >= ENOUGH_BOUNDS && self.upper.last_us().is_some_and(recent)
    }

    /// Whether the node's clock at `now` is known as well as a moment's exchanges allow. It is unknown after a silence that was longer
    /// than the time for which the node had been known: the drift is not known well enough for that, and the next answer tells more.
    #[must_use]
    pub fn is_settled(&self, now: HubTime) -> bool {
        let (first, last) = self.answered;
        let trusted_us = last.micros_since(first).clamp(TRUSTED_MIN_US, TRUSTED_MAX_US);
        self.exchanges >= EXCHANGES_MIN && now.micros_since(last) <= trusted_us
    }

    /// Largest error of a reading's hub time, microseconds: the truth lies between the bounds of both sides, and the clocks drift until the
    /// next exchange. None where no exchange bounds it from below.
    #[must_use]
    pub fn error_us(&self) -> Option<u64> {
        let error_us = self.line?.error_us? + DRIFT_ERROR_US;
        Some(error_us.max(0.0).round() as u64)
    }

    /// Time of `bytes` on the line, µs.
    fn wire_us(&self, bytes: u16) -> i64 {
        let bits = u64::from(bytes) * BITS_PER_BYTE;
        let us = self.baud.map_or(0, |baud| bits * 1_000_000 / u64::from(baud));
        micros(us).unwrap_or(0)
    }

    /// The latest hub time that was given: no later reading of the node gets an earlier one.
    #[must_use]
    pub fn latest(&self) -> HubTime {
        self.latest
    }

    /// The hub time of a reading: never before an earlier reading of the same node, never after
    /// `arrival`.
    pub fn map(&mut self, node_time: NodeTime, arrival: HubTime) -> HubTime {
        let mapped = self.line.map_or(arrival, |line| line.at(node_time));
        self.latest = mapped.min(arrival).max(self.latest);
        self.latest
    }
}

/// Signed microseconds, of which differences can be taken.
fn micros(us: u64) -> Option<i64> {
    i64::try_from(us).ok()
}

impl ClockFit {
    fn at(&self, node_time: NodeTime) -> HubTime {
        let node_us = micros(node_time.as_micros()).unwrap_or(i64::MAX);
        let since = node_us.saturating_sub(self.reference_us);
        let offset_us = self.offset_us + self.drift * since as f64;
        HubTime::from_micros(
            u64::try_from(node_us.saturating_add(offset_us.round() as i64)).unwrap_or(0),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const OFFSET_US: u64 = 1_700_000_000_000_000;

    fn node(us: u64) -> NodeTime {
        NodeTime::from_micros(us)
    }

    fn hub(us: u64) -> HubTime {
        HubTime::from_micros(OFFSET_US + us)
    }

    fn timing(made_us: u64, asked: Option<HubTime>) -> FrameTiming {
        FrameTiming { boot_id: 1, made: node(made_us), bytes: 30, asked }
    }

    proptest! {
        #[test]
        fn mapped_times_never_go_back_and_never_lie_after_the_arrival(
            steps in prop::collection::vec((0u64..200_000, 0u64..2_000_000, prop::option::of(0u64..50_000)), 1..200),
        ) {
            let mut map = NodeTimeMap::new();
            let (mut node_us, mut arrival, mut before) = (0, hub(0), HubTime::ZERO);
            for (step, delay, asked_before) in steps {
                node_us += step;
                arrival = arrival.max(hub(node_us + delay));
                let asked = asked_before.map(|before_us| arrival.minus_micros(before_us));
                map.observe(&timing(node_us, asked), arrival);
                let mapped = map.map(node(node_us), arrival);
                prop_assert!(mapped >= before && mapped <= arrival);
                before = mapped;
            }
        }

        #[test]
        fn wild_times_do_no_harm(
            times in prop::collection::vec(any::<(u64, u64, Option<u64>, u16)>(), 1..100),
            baud in any::<Option<u32>>(),
        ) {
            let mut map = NodeTimeMap::new();
            map.set_baud(baud);
            let mut before = HubTime::ZERO;
            for (made_us, arrival_us, asked_us, bytes) in times {
                let (made, asked) = (node(made_us), asked_us.map(HubTime::from_micros));
                let arrival = HubTime::from_micros(arrival_us);
                map.observe(&FrameTiming { boot_id: 1, made, bytes, asked }, arrival);
                let mapped = map.map(made, arrival);
                prop_assert!(mapped >= before && (mapped <= arrival || mapped == before));
                before = mapped;
            }
        }
    }

    #[test]
    fn one_answer_places_readings_in_the_middle_of_its_round_trip() {
        let mut map = NodeTimeMap::new();
        map.observe(&timing(5_000, Some(hub(1_000_000))), hub(1_003_000));
        let mapped = map.map(node(5_000), hub(1_010_000));
        // From 1 ms before the question, because the node may have taken its time by then.
        assert_eq!(mapped, hub(1_001_000));
    }

    #[test]
    fn one_exchange_that_took_long_draws_no_time_back() {
        let mut map = NodeTimeMap::new();
        // Four frames agree; the only question was lost on the way and asked again.
        for (made_us, late_us) in [(5_000, 900), (15_000, 2_500), (25_000, 1_400), (30_000, 3_000)]
        {
            map.observe(&timing(made_us, None), hub(made_us + late_us));
        }
        map.observe(&timing(220_000, Some(hub(20_000))), hub(225_000));
        let mapped = map.map(node(100_000), hub(230_000)).as_micros() - OFFSET_US;
        assert!(mapped.abs_diff(100_000) < 3_000, "{mapped}");
    }

    #[test]
    fn a_wrong_lower_bound_is_not_believed() {
        let mut map = NodeTimeMap::new();
        for second in 0..10 {
            map.observe(&timing(second * 1_000_000, None), hub(second * 1_000_000 + 2_000));
        }
        map.observe(&timing(9_500_000, Some(hub(9_900_000))), hub(9_950_000));
        assert_eq!(map.map(node(9_600_000), hub(9_999_000)), hub(9_602_000));
    }

    #[test]
    fn a_line_that_is_taken_for_slower_than_it_is_does_no_harm() {
        let mut map = NodeTimeMap::new();
        // Thirty bytes would take 31 ms, but come within one.
        map.set_baud(Some(9_600));
        for second in 0..10 {
            let now_us = second * 1_000_000;
            map.observe(&timing(now_us, Some(hub(now_us - now_us.min(500)))), hub(now_us + 500));
        }
        let mapped = map.map(node(9_100_000), hub(9_300_000)).as_micros();
        assert!(mapped.abs_diff(OFFSET_US + 9_100_000) < 1_000, "{mapped}");
    }

    #[test]
    fn what_was_read_in_a_long_silence_is_placed_by_the_drift_from_both_ends() {
        let (drift, silence_us) = (280e-6, 600_000_000);
        let true_us = |node_us: u64| node_us + (node_us as f64 * drift) as u64;
        let mut map = NodeTimeMap::new();
        let exchange = |map: &mut NodeTimeMap, node_us: u64| {
            let at_us = true_us(node_us);
            map.observe(&timing(node_us, Some(hub(at_us - 1_500))), hub(at_us + 1_500));
        };
        (1..=90).for_each(|second| exchange(&mut map, second * 1_000_000));
        let back_us = 90_000_000 + silence_us;
        assert!(!map.is_settled(hub(true_us(back_us))));
        // The readings of the silence come while the hub asks ten times a second.
        for tenth in 0..80 {
            let now_us = back_us + tenth * 100_000;
            exchange(&mut map, now_us);
            let read_us = 90_000_000 + tenth * silence_us / 80;
            let mapped = map.map(node(read_us), hub(true_us(now_us))).as_micros() - OFFSET_US;
            assert!(mapped.abs_diff(true_us(read_us)) < 6_000, "{tenth}: {mapped} {read_us}");
        }
    }

    #[test]
    fn a_reboot_restarts_the_estimate_but_not_the_order() {
        let mut map = NodeTimeMap::new();
        map.observe(&timing(90_000_000, None), hub(0));
        let before = map.map(node(90_000_000), hub(0));
        map.reboot();
        let arrival = crate::time::after(before, Duration::from_secs(2));
        map.observe(&timing(1_000, None), arrival);
        assert_eq!(map.map(node(1_000), arrival), arrival);
    }

    #[test]
    fn a_backlog_sent_after_a_reconnection_is_placed_when_it_happened() {
        let mut map = NodeTimeMap::new();
        for second in 0..30 {
            map.observe(&timing(second * 1_000_000, None), hub(second * 1_000_000 + 1_000));
        }
        let mapped = map.map(node(31_000_000), hub(40_000_000)).as_micros();
        assert!(mapped.abs_diff(OFFSET_US + 31_001_000) < 100, "{mapped}");
    }

    #[test]
    fn an_answer_that_was_asked_for_before_the_cable_was_out_draws_no_time_back() {
        let mut map = NodeTimeMap::new();
        map.observe(&timing(20_000_000, Some(hub(11_000_000))), hub(20_003_000));
        assert_eq!(map.map(node(20_000_000), hub(20_003_000)), hub(20_003_000));
        assert_eq!(map.map(node(20_100_000), hub(20_104_000)), hub(20_103_000));
    }

    #[test]
    fn one_frame_that_waited_for_the_hub_says_nothing_of_the_drift() {
        let mut map = NodeTimeMap::new();
        // Its HELLO was made when it started, and the hub was off for ten seconds.
        map.observe(&timing(0, None), hub(10_000_000));
        for exchange in 0..8 {
            let now_us = 10_000_000 + exchange * 15_000;
            map.observe(&timing(now_us, Some(hub(now_us))), hub(now_us + 300));
        }
        let mapped = map.map(node(500_000), hub(10_300_000)).as_micros();
        assert!(mapped.abs_diff(OFFSET_US + 500_000) < 1_000, "{}", mapped - OFFSET_US);
    }

    #[test]
    fn a_node_is_not_known_any_more_after_a_longer_silence_than_it_was_known() {
        let mut map = NodeTimeMap::new();
        let mut answer = |us: u64| {
            map.observe(&timing(us, Some(hub(us))), hub(us + 1_000));
            map.clone()
        };
        for exchange in 0..7 {
            assert!(!answer(exchange * 20_000).is_settled(hub(200_000)));
        }
        // Known for 0.2 s: for frames of the next three seconds, no drift is too much.
        let map = answer(200_000);
        assert!(map.is_settled(hub(3_200_000)) && !map.is_settled(hub(3_300_000)));
        let map = answer(10_000_000);
        assert!(map.is_settled(hub(20_000_000)) && !map.is_settled(hub(20_100_000)));
        // Bounds from before a long silence are kept beside the new ones.
        let map = answer(100_000_000);
        assert!(map.is_settled(hub(160_000_000)) && !map.is_settled(hub(161_000_000)));
    }
}
