//! ```text
//! r(1) = r,  r(k) = AFTER_OTHERS · r
//! T(d) = r(k) / (1 + r(k)) · N(ln d; thought + ln f, σ)
//! U(d) = 1 / (1 + r(k)) · V(d),  V(d) = max(N(ln d; nudge + ln g, τ), LEAST)
//! w(f, g, r) = prior(r) · Π over nudged pieces d' of V(d') · Π over the other last pieces d' of (T(d') + U(d'))
//! touched(d) = Σ w · T(d) / Σ w · (T(d) + U(d)),   sums over the grid of (f, g, r)
//! ```
//!
//! Time for which the players of a match hold pieces that they do not move, learnt from the match itself.
//!
//! Before a ply its player had k own pieces away from their squares, one after the other, and put
//! them back. Only the last can have been a second thought: who thinks better of a move plays
//! another one next. All others were only nudged, and so was each piece of the player who waits.
//! The last was away for d, with prior odds r(k) to 1 that its player meant to move it.
//!
//! The factors f and g and the odds r are the match's own and unknown: hands at one table nudge for
//! as long as hands at another think. The prior of f and g is uniform on the grid. The absence that
//! is judged is left out of w. [`Pace`] gives means, spreads and usual odds.

use std::collections::BTreeMap;

use rules::Square;

use crate::anomaly::hands::{
    density::{FACTOR, log_normal},
    pace::Pace,
};

/// The own pieces that a player put back before a ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Number of the ply in the segment, from 0.
    pub(crate) slot: usize,
    /// The last of them,
    pub(crate) square: Square,
    /// how long it was away, microseconds,
    pub(crate) away_us: u64,
    /// and whether there were others before it.
    pub(crate) after_others: bool,
}

/// The pieces that were put back in one segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PutBack {
    /// The last ones of the players of its plies.
    pub(crate) held: Vec<Held>,
    /// Time for which pieces were away that were only nudged, microseconds: those of the player who
    /// waited, and others.
    pub(crate) nudged_us: Vec<u64>,
}

/// Grid points of each factor, uniform in its logarithm over [`FACTOR`]. Bound: on work.
const FACTORS: usize = 9;
/// Grid of the odds: multiples of the usual odds and the prior of each. Assumed.
const ODDS: [(f64, f64); 5] = [(0.1, 0.1), (0.3, 0.2), (1.0, 0.4), (3.0, 0.2), (10.0, 0.1)];
/// Number of grid points.
const POINTS: usize = FACTORS * FACTORS * ODDS.len();
/// Odds after other pieces, as a part of the odds without. Assumed: who puts right one piece puts
/// right the next.
const AFTER_OTHERS: f64 = 0.1;
/// Segments whose pieces are kept, the earliest. Bound: on memory; after this number the match's hands are known.
const MAX_SEGMENTS: usize = 256;
/// Minimum density of a nudge, per natural logarithm, for absences that no habit explains. Assumed.
const LEAST: f64 = 1e-9;

/// The posterior of a match's hands on the grid.
#[derive(Clone, Debug)]
pub(crate) struct TouchHabits {
    pub(crate) pace: Pace,
    /// Natural logarithm of the weight of each point.
    weights: Vec<f64>,
    /// The pieces in these weights, by layer.
    known: BTreeMap<usize, PutBack>,
}

impl TouchHabits {
    /// The prior for hands at this pace.
    pub(crate) fn new(pace: Pace) -> TouchHabits {
        let weights = grid(|_, _, odds| libm::log(ODDS[odds].1));
        TouchHabits { pace, weights, known: BTreeMap::new() }
    }

    /// Takes the pieces that are believed now to have been put back in a layer, instead of the earlier ones.
    pub(crate) fn learn(&mut self, layer: usize, put_back: PutBack) {
        if self.known.get(&layer) == Some(&put_back) {
            return;
        }
        if let Some(before) = self.known.remove(&layer) {
            self.weigh(&before, -1.0);
        }
        if put_back != PutBack::default() && self.known.len() < MAX_SEGMENTS {
            self.weigh(&put_back, 1.0);
            self.known.insert(layer, put_back);
        }
    }

    /// Adds the log factors of pieces to the weights, times `sign`.
    fn weigh(&mut self, put_back: &PutBack, sign: f64) {
        let mut add = |factors: Vec<f64>| {
            self.weights.iter_mut().zip(factors).for_each(|(weight, log)| *weight += sign * log);
        };
        for &away_us in &put_back.nudged_us {
            let nudged = nudged(self.pace, away_us).map(libm::log);
            add(grid(|_, nudge, _| nudged[nudge]));
        }
        for held in &put_back.held {
            let densities = densities(self.pace, held).into_iter();
            add(densities.map(|(touched, nudged)| libm::log(touched + nudged)).collect());
        }
    }

    /// touched(d) of the module's formula, 0 to 1: the probability that the player meant to move
    /// the last piece.
    pub(crate) fn touched(&self, layer: usize, held: &Held) -> f64 {
        let is_known = self.known.get(&layer).is_some_and(|known| known.held.contains(held));
        let densities = densities(self.pace, held);
        let weights = self.weights.iter().zip(&densities).map(|(weight, (touched, nudged))| {
            if is_known { weight - libm::log(touched + nudged) } else { *weight }
        });
        let weights: Vec<f64> = weights.collect();
        let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut yes, mut no) = (0.0, 0.0);
        for (weight, (touched, nudged)) in weights.into_iter().zip(densities) {
            let weight = libm::exp(weight - most);
            yes += weight * touched;
            no += weight * nudged;
        }
        yes / (yes + no)
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_segment = |put_back: &PutBack| {
            put_back.held.capacity() * size_of::<Held>()
                + put_back.nudged_us.capacity() * size_of::<u64>()
                + size_of::<(usize, PutBack)>()
        };
        POINTS * size_of::<f64>() + self.known.values().map(of_segment).sum::<usize>()
    }
}

/// V(d) of the module's formula by factor of nudges.
fn nudged(pace: Pace, away_us: u64) -> [f64; FACTORS] {
    let Pace { nudge_ln_ms, nudge_spread, .. } = pace;
    factors().map(|ln| log_normal(away_us, nudge_ln_ms + ln, nudge_spread).max(LEAST))
}

/// T(d) and U(d) of the module's formula by grid point.
fn densities(pace: Pace, held: &Held) -> Vec<(f64, f64)> {
    let Pace { rethought_ln_ms, rethought_spread, rethought_odds, .. } = pace;
    let thought =
        factors().map(|ln| log_normal(held.away_us, rethought_ln_ms + ln, rethought_spread));
    let nudged = nudged(pace, held.away_us);
    let usual = rethought_odds * if held.after_others { AFTER_OTHERS } else { 1.0 };
    let odds = ODDS.map(|(multiple, _)| multiple * usual);
    grid(|thoughts, nudges, at| {
        (thought[thoughts] * odds[at] / (1.0 + odds[at]), nudged[nudges] / (1.0 + odds[at]))
    })
}

/// A value for each point, made of its places in the grids of thoughts, of nudges and of odds.
fn grid<T>(value: impl Fn(usize, usize, usize) -> T) -> Vec<T> {
    let point = |at: usize| {
        let factors = at / ODDS.len();
        value(factors / FACTORS, factors % FACTORS, at % ODDS.len())
    };
    (0..POINTS).map(point).collect()
}

/// Natural logarithm of each factor on the grid.
fn factors() -> [f64; FACTORS] {
    let (least, most) = (libm::log(FACTOR.0), libm::log(FACTOR.1));
    std::array::from_fn(|at| least + (most - least) * at as f64 / (FACTORS - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anomaly::hands::pace::Pace;

    fn held(ms: u64, before_ms: &[u64]) -> PutBack {
        let nudged_us: Vec<u64> = before_ms.iter().map(|ms| ms * 1_000).collect();
        let (square, after_others) = (Square::E2, !nudged_us.is_empty());
        let held = vec![Held { slot: 0, square, away_us: ms * 1_000, after_others }];
        PutBack { held, nudged_us }
    }

    fn habits(held_ms: &[u64]) -> TouchHabits {
        let mut habits = TouchHabits::new(Pace::BLITZ);
        for (layer, &ms) in held_ms.iter().enumerate() {
            habits.learn(layer, held(ms, &[]));
        }
        habits
    }

    fn touched(habits: &TouchHabits, layer: usize, put_back: &PutBack) -> f64 {
        habits.touched(layer, &put_back.held[0])
    }

    #[test]
    fn what_is_long_for_quick_hands_is_nothing_for_slow_ones() {
        let of = |known: &[u64]| touched(&habits(known), 100, &held(300, &[]));
        let quick = of(&[30, 35, 40, 28, 33, 36, 300, 280]);
        let slow = of(&[250, 300, 270, 310, 1_500, 1_700, 260]);
        assert!(quick > 0.9, "{quick}");
        assert!(slow < 0.3, "{slow}");
    }

    #[test]
    fn who_waits_only_nudges_and_shows_how_long_a_nudge_lasts() {
        let after = |waiting_ms: u64| {
            let mut habits = habits(&[]);
            for layer in 0..4 {
                let nudged_us = vec![1_000 * waiting_ms];
                habits.learn(layer, PutBack { nudged_us, ..PutBack::default() });
            }
            touched(&habits, 100, &held(200, &[]))
        };
        assert!(after(30) > 0.8, "{}", after(30));
        assert!(after(200) < 0.4, "{}", after(200));
    }

    #[test]
    fn a_piece_after_others_was_more_likely_put_right_like_them() {
        let habits = habits(&[]);
        let alone = touched(&habits, 7, &held(250, &[]));
        let third = touched(&habits, 7, &held(250, &[240, 260]));
        assert!(alone > 0.4 && third < 0.2, "{alone} {third}");
    }

    #[test]
    fn an_absence_is_not_judged_by_itself_and_what_is_taken_back_is_forgotten() {
        let mut habits = habits(&[90, 100, 600]);
        let judged = held(250, &[]);
        let before = touched(&habits, 7, &judged);
        habits.learn(7, judged.clone());
        assert!((touched(&habits, 7, &judged) - before).abs() < 1e-9);
        habits.learn(7, PutBack::default());
        assert!((touched(&habits, 8, &judged) - before).abs() < 1e-9);
    }

    #[test]
    fn a_piece_that_is_nudged_all_match_long_takes_no_more_memory() {
        let mut habits = habits(&[]);
        for layer in 0..5_000 {
            habits.learn(layer, held(90, &[80]));
        }
        assert!(habits.memory_bytes() < 100_000);
    }
}
