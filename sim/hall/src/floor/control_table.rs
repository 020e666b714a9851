//! A table without faults beside the others, at which several matches are played. Its end is compared with its end in the same hall without
//! any faults. So no two acts of it are so close together that their order depends on the hub's knowledge of its nodes' clocks.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::device::Act;
use super::plan::{FloorPlan, nodes};
use crate::plan::log_uniform;

/// Time of the first touch, µs: a match is open by then, and a starved hub knows its nodes' clocks well enough for the order.
const FIRST_ACT_US: u64 = 3_000_000;
/// Minimum time of play, however short the time with faults, µs.
const PLAYED_MIN_US: u64 = 10_000_000;
/// Maximum number of acts.
const ACTS_MAX: usize = 150;
/// Shortest and longest pause between two acts in the mean, µs.
const PAUSES_US: (f64, f64) = (3e4, 6e5);
/// Share of the acts behind which the next match is set up.
const NEXT_MATCH: f64 = 0.04;
/// Minimum time between touches at two nodes, beside the jitter of a line, µs: two clocks are known no better, and the order of the two
/// readings would show.
const APART_US: u64 = 10_000;
/// Rest before clocks stop and after they start, µs: the order of two nodes' readings would show.
const REST_US: u64 = 300_000;
/// From one step of a set-up to the next, µs: clocks stop, boards are set up and stand for a while, clocks are set and started. No
/// step, and no two of them, last as long as one of the session's times.
const STEPS_US: [u64; 3] = [600_000, 2_000_000, 1_300_000];
/// Times by which a session decides when nothing changes at a table, µs (the deadlines of a match's life, plies that stillness completes).
const STILL_US: [u64; 5] = [1_000_000, 2_500_000, 3_000_000, 5_000_000, 8_000_000];
/// Times by which it finds the pieces that are put back after a match at a board without a clock, µs: of an empty square, and of the rest before.
const PUT_BACK_US: [u64; 2] = [1_500_000, 2_500_000];

impl FloorPlan {
    /// Adds such a table; faults end at `calm_us`.
    pub(crate) fn add_spared_table(&mut self, rng: &mut ChaCha8Rng, calm_us: u64) {
        let (table, first) = (self.tables, self.nodes.len());
        self.nodes.extend(nodes(rng, table));
        let here: Vec<usize> = (first..self.nodes.len()).collect();
        let end_us = calm_us.max(FIRST_ACT_US + PLAYED_MIN_US);
        let mut acts = self.spared_acts(rng, &here, end_us);
        self.acts.append(&mut acts);
        // Stable: at one table nothing is turned round.
        self.acts.sort_by_key(|&(at_us, ..)| at_us);
        self.tables += 1;
        self.spared = Some(table);
    }

    fn spared_acts(
        &self,
        rng: &mut ChaCha8Rng,
        here: &[usize],
        end_us: u64,
    ) -> Vec<(u64, usize, Act)> {
        let of_kind = |is_clock: bool| {
            here.iter().copied().filter(move |&node| self.nodes[node].is_clock == is_clock)
        };
        let at_all = |at_us, is_clock, act| of_kind(is_clock).map(move |node| (at_us, node, act));
        let margin_us = self.jitter_us + APART_US;
        let mut now_us = FIRST_ACT_US;
        let mut acts: Vec<(u64, usize, Act)> = at_all(now_us, true, Act::Start).collect();
        now_us += REST_US;
        let pause_us = log_uniform(rng, PAUSES_US);
        let mut touched: Option<(usize, u64)> = None;
        while acts.len() < ACTS_MAX {
            now_us += (-pause_us * (1.0 - rng.random::<f64>()).ln()) as u64;
            if now_us >= end_us {
                break;
            }
            if rng.random_bool(NEXT_MATCH) {
                now_us += REST_US;
                acts.extend(at_all(now_us, true, Act::Stop));
                let touched = acts.iter().filter(|&&(.., act)| act == Act::Touch);
                let touched = touched.map(|&(at_us, ..)| at_us).collect::<Vec<_>>();
                now_us = clear_of(now_us + STEPS_US[0], &touched, &PUT_BACK_US, margin_us);
                acts.extend(at_all(now_us, false, Act::SetUp));
                now_us += STEPS_US[1];
                acts.extend(at_all(now_us, true, Act::SetUp));
                now_us += STEPS_US[2];
                acts.extend(at_all(now_us, true, Act::Start));
                now_us += REST_US;
                continue;
            }
            let node = here[rng.random_range(0..here.len())];
            if let Some((_, at_us)) = touched.filter(|(before, _)| *before != node) {
                now_us = now_us.max(at_us + margin_us);
            }
            let last = acts.last().map(|&(at_us, ..)| at_us);
            now_us = clear_of(now_us, last.as_slice(), &STILL_US, margin_us);
            touched = Some((node, now_us));
            acts.push((now_us, node, Act::Touch));
        }
        acts
    }
}

/// The first time from `at_us` on that is clear, by a margin, of every span after one of `before`. A decision at the end of a span would
/// depend on the hub's knowledge of its nodes' clocks.
fn clear_of(mut at_us: u64, before: &[u64], spans_us: &[u64], margin_us: u64) -> u64 {
    let near = |at_us: u64| {
        let ends = before.iter().flat_map(|it| spans_us.iter().map(move |span_us| it + span_us));
        ends.filter(|end_us| end_us.abs_diff(at_us) < margin_us).max()
    };
    while let Some(end_us) = near(at_us) {
        at_us = end_us + margin_us;
    }
    at_us
}
