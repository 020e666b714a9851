//! How long the players of a match hold pieces that they do not move, learnt from the match itself.
//!
//! A piece that left its square for `d` and came back was touched, with odds `r` to 1, or only nudged:
//!
//! ```text
//! p(d) = share · N(ln d; thought + ln f, σ) + (1 − share) · N(ln d; nudge + ln g, τ),   share = r / (1 + r)
//! ```
//!
//! The factors `f`, `g` and the odds `r` are the match's own and unknown: hands at one table nudge for as long as hands at another think.
//! They are kept on a grid, each point weighed by all that was held in this match. What is judged is left out of what it is
//! judged by.

use std::collections::BTreeMap;

use rules::Square;

use super::{
    density::{FACTOR, log_normal},
    pace::Touching,
};
use crate::explanation::MAX_PLIES;

/// An own piece that was away from its square before a ply, the longest.
pub(crate) struct Held {
    /// The ply, by its place in the segment.
    pub(crate) slot: usize,
    pub(crate) square: Square,
    pub(crate) away_us: u64,
}

/// Points for each factor, evenly in the logarithm.
const FACTORS: usize = 7;
/// Factors of the odds.
const ODDS: [f64; 3] = [0.3, 1.0, 3.0];
/// All points.
const POINTS: usize = FACTORS * FACTORS * ODDS.len();
/// Absences that are kept, the earliest: by then a match's hands are known.
const MAX_ABSENCES: usize = 256;
/// Density of what no habit explains.
const LEAST: f64 = 1e-9;

/// For each point of the grid a number.
type Grid = Box<[f64; POINTS]>;

/// What is known of a match's hands.
#[derive(Clone, Debug)]
pub(crate) struct TouchHabits {
    usual: Touching,
    /// Logarithm of the weight of each point.
    weights: Grid,
    /// The part of each absence in that, by layer and place in it.
    known: BTreeMap<(usize, usize), Grid>,
}

impl TouchHabits {
    /// Before anything is known of hands at this pace.
    pub(crate) fn new(usual: Touching) -> TouchHabits {
        TouchHabits { usual, weights: Box::new([0.0; POINTS]), known: BTreeMap::new() }
    }

    /// Takes what is believed now to have been held in a layer.
    pub(crate) fn relearn(&mut self, layer: usize, held: &[Held]) {
        for slot in 0..MAX_PLIES {
            let held = held.iter().find(|held| held.slot == slot);
            self.learn((layer, slot), held.map(|held| held.away_us));
        }
    }

    /// Takes what a ply's player held and put back, instead of what was taken for that place before.
    pub(crate) fn learn(&mut self, place: (usize, usize), away_us: Option<u64>) {
        if let Some(before) = self.known.remove(&place) {
            add(&mut self.weights, &before, -1.0);
        }
        let Some(away_us) = away_us.filter(|_| self.known.len() < MAX_ABSENCES) else { return };
        let [touched, nudged] = self.densities(away_us);
        let mut part: Grid = Box::new([0.0; POINTS]);
        for (at, part) in part.iter_mut().enumerate() {
            *part = libm::log(touched(at) + nudged(at));
        }
        add(&mut self.weights, &part, 1.0);
        self.known.insert(place, part);
    }

    /// The probability that a piece which was away for so long had been taken to be moved.
    pub(crate) fn touched(&self, place: (usize, usize), away_us: u64) -> f64 {
        let own = self.known.get(&place);
        let weight = |at: usize| self.weights[at] - own.map_or(0.0, |own| own[at]);
        let most = (0..POINTS).map(weight).fold(f64::NEG_INFINITY, f64::max);
        let [touched, nudged] = self.densities(away_us);
        let (mut yes, mut no) = (0.0, 0.0);
        for at in 0..POINTS {
            let weight = libm::exp(weight(at) - most);
            yes += weight * touched(at);
            no += weight * nudged(at);
        }
        yes / (yes + no)
    }

    /// For each point the density of an absence of a piece that was touched, and of one that was nudged, with their shares.
    fn densities(&self, away_us: u64) -> [impl Fn(usize) -> f64 + use<>; 2] {
        let Touching { nudge_ln_ms, nudge_spread, rethought_ln_ms, rethought_spread, .. } =
            self.usual;
        let touched =
            factors().map(|ln| log_normal(away_us, rethought_ln_ms + ln, rethought_spread));
        let nudged =
            factors().map(|ln| log_normal(away_us, nudge_ln_ms + ln, nudge_spread).max(LEAST));
        let odds = ODDS.map(|odds| odds * self.usual.rethought_odds);
        let (of_touched, of_nudged) =
            (odds.map(|odds| odds / (1.0 + odds)), odds.map(|odds| 1.0 / (1.0 + odds)));
        // A point is a factor of thoughts, one of nudges, and one of the odds, in this order.
        let part = |density: [f64; FACTORS], share: [f64; ODDS.len()], stride: usize| {
            move |at: usize| density[at / stride % FACTORS] * share[at % ODDS.len()]
        };
        [part(touched, of_touched, FACTORS * ODDS.len()), part(nudged, of_nudged, ODDS.len())]
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        (self.known.len() + 1) * size_of::<[f64; POINTS]>()
    }
}

fn add(sum: &mut Grid, part: &Grid, sign: f64) {
    sum.iter_mut().zip(part.iter()).for_each(|(sum, part)| *sum += sign * part);
}

/// The logarithm of each factor.
fn factors() -> [f64; FACTORS] {
    let (least, most) = (libm::log(FACTOR.0), libm::log(FACTOR.1));
    std::array::from_fn(|at| least + (most - least) * at as f64 / (FACTORS - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anomaly::support::pace::Pace;

    fn habits(held_ms: &[u64]) -> TouchHabits {
        let mut habits = TouchHabits::new(Pace::Blitz.touching());
        for (layer, ms) in held_ms.iter().enumerate() {
            habits.learn((layer, 0), Some(ms * 1_000));
        }
        habits
    }

    #[test]
    fn what_is_long_for_quick_hands_is_nothing_for_slow_ones() {
        let held = |known: &[u64]| habits(known).touched((100, 0), 300_000);
        let quick = held(&[30, 35, 40, 28, 33, 36, 300, 280]);
        let slow = held(&[250, 300, 270, 310, 1_500, 1_700, 260]);
        assert!(quick > 0.9, "{quick}");
        assert!(slow < 0.3, "{slow}");
    }

    #[test]
    fn an_absence_is_not_judged_by_itself_and_what_is_taken_back_is_forgotten() {
        let mut habits = habits(&[90, 100, 600]);
        let before = habits.touched((7, 0), 250_000);
        habits.learn((7, 0), Some(250_000));
        assert!((habits.touched((7, 0), 250_000) - before).abs() < 1e-9);
        habits.learn((7, 0), None);
        assert!((habits.touched((8, 0), 250_000) - before).abs() < 1e-9);
    }

    #[test]
    fn a_piece_that_is_nudged_all_match_long_takes_no_more_memory() {
        let mut habits = habits(&[]);
        for layer in 0..5_000 {
            habits.learn((layer, 0), Some(90_000));
        }
        assert!(habits.memory_bytes() < 400_000);
    }
}
