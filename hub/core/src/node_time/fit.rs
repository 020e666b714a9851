//! From bounds on the difference of two clocks to the difference itself.
//!
//! Each frame of a node bounds it from above: the frame arrived after it was made. Each answer to a question bounds it from below
//! too: it was made after the question was asked. Drawn over node time, upper bounds lie on and above one line, lower bounds on and
//! below another that is parallel: its slope is the drift of the clocks, and the truth lies in between.

use std::collections::VecDeque;
use std::time::Duration;

/// Bounds older than this, in node time, are forgotten: long enough to see drift, short enough to follow temperature.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// Bounds of one side that are kept.
const BOUNDS_MAX: usize = 128;
/// Number of bounds from before a silence that are kept until the window is full again: readings in between are placed by the drift from both ends.
const BOUNDS_BEFORE_SILENCE: usize = 16;
/// A window is full when its bounds span so much of it, in quarters.
const FULL_QUARTERS: i64 = 3;
/// The largest drift believed, as a fraction of time: a bad ceramic resonator has 0.005.
const DRIFT_MAX: f64 = 0.01;
/// Drift that is nothing special, as a fraction of time: before much is known, less is likelier than more.
const DRIFT_USUAL: f64 = 300e-6;
/// The search for the drift ends when it is known so well.
const DRIFT_PRECISION: f64 = 1e-7;
/// Scatter of the delays on a line of which nothing is known yet, and the least that is reckoned with, in µs.
const SCATTER_UNKNOWN_US: f64 = 3_000.0;
const SCATTER_MIN_US: f64 = 300.0;
/// Minimum number of one side's bounds from which its scatter is estimated.
const SCATTER_BOUNDS_MIN: usize = 4;
/// Unobservable distance between a side's bounds and the truth, in µs: the time that every frame takes.
const UNSEEN_US: f64 = 1_000.0;
/// Besides it, this share of the scatter: a direction in which frames are late by very different times has seldom one that is not.
const UNSEEN_SHARE: f64 = 0.25;
/// Lateness, in scatters or absolute, at which a frame is no evidence of the drift: it waited for a hub that was off, or for a
/// cable. The cost of a drift is linear in what frames are late, so one of them would outweigh all others.
const LATE_SCATTERS: f64 = 10.0;
const LATE_MAX_US: f64 = 1_000_000.0;
/// Tolerated contradiction between upper and lower bounds, in µs, when the drift has changed within the window.
const CONTRADICTION_MAX_US: f64 = 1_000.0;
/// Weight of a contradiction of 1 µs in the search for the drift: more than all bounds together.
const CONTRADICTION_WEIGHT: f64 = 10.0;
/// Remaining part of an interval after a step of golden-section search.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// One bound: hub time minus node time is at most, or at least, `offset_us` at `node_us`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) node_us: i64,
    pub(super) offset_us: i64,
    /// Time of the frame's own bytes on a line of known speed, which makes the bound this much tighter, µs.
    pub(super) wire_us: i64,
}

/// The bounds of one side, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds(VecDeque<Bound>);

impl Bounds {
    pub(super) fn push(&mut self, bound: Bound) {
        if self.0.len() >= BOUNDS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(bound);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Node time of the last one, µs.
    pub(super) fn last_us(&self) -> Option<i64> {
        self.0.back().map(|bound| bound.node_us)
    }

    /// Forgets what is too old at `node_us`; after a silence, not before enough is known again.
    pub(super) fn forget_before(&mut self, node_us: i64) {
        let window_us = WINDOW.as_micros() as i64;
        let oldest_us = node_us.saturating_sub(window_us);
        let of_window = self.0.iter().filter(|bound| bound.node_us >= oldest_us);
        let first_us = of_window.map(|bound| bound.node_us).min().unwrap_or(node_us);
        let is_full = node_us.saturating_sub(first_us) >= window_us / 4 * FULL_QUARTERS;
        let old = self.0.iter().filter(|bound| bound.node_us < oldest_us).count();
        let kept = if is_full { 0 } else { old.min(BOUNDS_BEFORE_SILENCE) };
        let mut dropped = old - kept;
        self.0.retain(|bound| {
            bound.node_us >= oldest_us || {
                let is_dropped = dropped > 0;
                dropped = dropped.saturating_sub(1);
                !is_dropped
            }
        });
    }
}

/// The difference of the clocks: hub minus node, `offset_us` at `reference_us` of node time.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockFit {
    pub(super) reference_us: i64,
    pub(super) offset_us: f64,
    /// Growth of the difference, as a fraction of node time.
    pub(super) drift: f64,
    /// Largest distance of the bounds from it at the reference; none without bounds of both sides.
    pub(super) error_us: Option<f64>,
}

/// One side's bounds as the search sees them: upper ones, or lower ones with the sign turned, relative to the reference.
struct Side {
    points: Vec<(f64, f64)>,
    scatter_us: f64,
}

impl Side {
    fn new(bounds: &Bounds, sign: f64, reference: (i64, i64), with_wire: bool) -> Side {
        let relative = |bound: &Bound| {
            let wire_us = if with_wire { bound.wire_us as f64 } else { 0.0 };
            let since_us = bound.node_us.saturating_sub(reference.0) as f64;
            let offset_us = bound.offset_us.saturating_sub(reference.1) as f64;
            (since_us, sign * offset_us - wire_us)
        };
        let mut points: Vec<(f64, f64)> = bounds.0.iter().map(relative).collect();
        drop_late(&mut points);
        let mut side = Side { points, scatter_us: SCATTER_UNKNOWN_US };
        if side.points.len() >= SCATTER_BOUNDS_MIN {
            // Drift is no scatter.
            let slope = search(|slope| side.tightest(slope).1);
            side.scatter_us = side.median_excess(slope).max(SCATTER_MIN_US);
        }
        side
    }

    /// The tightest bound at the reference if the clocks drift so, and how far all bounds lie above it together.
    fn tightest(&self, slope: f64) -> (f64, f64) {
        let offsets = self.points.iter().map(|&(since_us, offset_us)| offset_us - slope * since_us);
        let (least, sum) = offsets
            .fold((f64::INFINITY, 0.0), |(least, sum), offset| (least.min(offset), sum + offset));
        (least, sum - least * self.points.len() as f64)
    }

    /// Mean distance of the other bounds from the tightest one: that of the exponential distribution with their median.
    fn median_excess(&self, slope: f64) -> f64 {
        let (least, _) = self.tightest(slope);
        let excess = |&(since_us, offset_us): &(f64, f64)| offset_us - slope * since_us - least;
        mean_excess(self.points.iter().map(excess).collect())
    }

    /// Variance of the tightest bound about the truth, µs²; `gap_us` is its distance from the other side's. A side of few bounds may owe all of
    /// that distance to one late frame: a question that was lost and asked again.
    fn variance(&self, gap_us: f64) -> f64 {
        let is_known = self.points.len() >= SCATTER_BOUNDS_MIN;
        let scatter_us = if is_known { self.scatter_us } else { self.scatter_us.max(gap_us) };
        let unseen_us = scatter_us * UNSEEN_SHARE;
        unseen_us * unseen_us + UNSEEN_US * UNSEEN_US
    }
}

/// The mean of the exponential distribution that has the median of `all`, which are not none.
fn mean_excess(mut all: Vec<f64>) -> f64 {
    let middle = all.len() / 2;
    let (_, median, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
    *median / std::f64::consts::LN_2
}

/// Drops the points that are late at every drift that is believed; sorts them by time.
fn drop_late(points: &mut Vec<(f64, f64)>) {
    points.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let late_us = lateness(points);
    if late_us.is_empty() {
        return;
    }
    let scatter_us = mean_excess(late_us.clone()).max(SCATTER_UNKNOWN_US);
    let most_us = LATE_MAX_US.min(LATE_SCATTERS * scatter_us);
    let mut late_us = late_us.into_iter();
    points.retain(|_| late_us.next().is_some_and(|late_us| late_us <= most_us));
}

/// Distance of each of the points, in order of time, above the others' bound at every credible drift, µs.
fn lateness(points: &[(f64, f64)]) -> Vec<f64> {
    let mut late_us = vec![0.0_f64; points.len()];
    let mut sweep = |indices: &mut dyn Iterator<Item = usize>| {
        let mut least: Option<(f64, f64)> = None;
        for index in indices {
            let (since_us, offset_us) = points[index];
            let allowed_us = least.map_or(offset_us, |(at_us, least_us)| {
                least_us + DRIFT_MAX * (since_us - at_us).abs()
            });
            late_us[index] = late_us[index].max(offset_us - allowed_us);
            least = Some((since_us, offset_us.min(allowed_us)));
        }
    };
    sweep(&mut (0..points.len()));
    sweep(&mut (0..points.len()).rev());
    late_us
}

/// The fit of all bounds together.
pub(super) fn fit(upper: &Bounds, lower: &Bounds) -> Option<ClockFit> {
    let last = upper.0.iter().max_by_key(|bound| bound.node_us)?;
    let reference = (last.node_us, last.offset_us);
    let sides = |with_wire| {
        (Side::new(upper, 1.0, reference, with_wire), Side::new(lower, -1.0, reference, with_wire))
    };
    // A line that is taken for slower than it is makes the bounds contradict each other; so does a lower bound that is wrong.
    let with_lower = [true, false].into_iter().find_map(|with_wire| {
        let (above, below) = sides(with_wire);
        if below.points.is_empty() {
            return None;
        }
        between(&above, &below)
    });
    let (offset, drift, error_us) = with_lower.unwrap_or_else(|| {
        let (above, _) = sides(true);
        let drift = search(|drift| above.tightest(drift).1 / above.scatter_us + unusual(drift));
        (above.tightest(drift).0, drift, None)
    });
    let offset_us = reference.1 as f64 + offset;
    Some(ClockFit { reference_us: reference.0, offset_us, drift, error_us })
}

/// Offset at the reference, drift and largest error, from bounds of both sides; none if they contradict each other.
fn between(above: &Side, below: &Side) -> Option<(f64, f64, Option<f64>)> {
    let drift = search(|drift| {
        let (upper, upper_excess) = above.tightest(drift);
        let (lower, lower_excess) = below.tightest(-drift);
        let contradiction = (-lower - upper).max(0.0);
        upper_excess / above.scatter_us
            + lower_excess / below.scatter_us
            + contradiction * CONTRADICTION_WEIGHT
            + unusual(drift)
    });
    let (upper, lower) = (above.tightest(drift).0, -below.tightest(-drift).0);
    if lower - upper > CONTRADICTION_MAX_US {
        return None;
    }
    // Whichever side has less scatter tells more.
    let gap_us = upper - lower;
    let (of_upper, of_lower) = (1.0 / above.variance(gap_us), 1.0 / below.variance(gap_us));
    let offset = (upper * of_upper + lower * of_lower) / (of_upper + of_lower);
    // Bounds that contradict each other a little are wrong by as much.
    let error_us = (upper - offset).abs().max((offset - lower).abs());
    Some((offset, drift, Some(error_us)))
}

/// Prior cost of a drift.
fn unusual(drift: f64) -> f64 {
    drift.abs() / DRIFT_USUAL
}

/// The drift that costs least. The cost is convex, so golden section finds it.
fn search(cost: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-DRIFT_MAX, DRIFT_MAX);
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut of_left, mut of_right) = (cost(left), cost(right));
    while high - low > DRIFT_PRECISION {
        if of_left <= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = high - GOLDEN * (high - low);
            of_left = cost(left);
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = low + GOLDEN * (high - low);
            of_right = cost(right);
        }
    }
    (low + high) / 2.0
}
