//! How long the players of a match hold pieces that they do not move, learnt from the match itself.
//!
//! A piece was away from its square for d and came back. Its player had meant to move it, with prior odds r to 1, or
//! only nudged it:
//!
//! ```text
//! T(d) = r / (1 + r) · N(ln d; thought + ln f, σ)
//! U(d) = 1 / (1 + r) · max(N(ln d; nudge + ln g, τ), LEAST)
//! w(f, g, r) = Π over the match's other absences d' of (T(d') + U(d'))
//! touched(d) = Σ w · T(d) / Σ w · (T(d) + U(d)),   sums over the grid of (f, g, r)
//! ```
//!
//! The factors f and g and the odds r are the match's own and unknown: hands at one table nudge for as long as hands
//! at another think. The prior is uniform on the grid. The absence that is judged is left out of w. [`Touching`]
//! gives means, spreads and usual odds for the pace.

use std::collections::BTreeMap;

use rules::Square;

use super::{
    density::{FACTOR, log_normal},
    pace::Touching,
};
use crate::explanation::MAX_PLIES;

/// The longest absence of an own piece from its square before a ply.
pub(crate) struct Held {
    /// Number of the ply in the segment, from 0.
    pub(crate) slot: usize,
    pub(crate) square: Square,
    pub(crate) away_us: u64,
}

/// Grid points of each factor, uniform in its logarithm over [`FACTOR`]. Bound: on work.
const FACTORS: usize = 7;
/// Grid of the odds, as multiples of the usual odds. Assumed.
const ODDS: [f64; 3] = [0.3, 1.0, 3.0];
/// Number of grid points.
const POINTS: usize = FACTORS * FACTORS * ODDS.len();
/// Absences that are kept, the earliest. Bound: on memory; after so many the match's hands are known.
const MAX_ABSENCES: usize = 256;
/// Least density of a nudge, per natural logarithm, for absences that no habit explains. Assumed.
const LEAST: f64 = 1e-9;

/// A number for each point of the grid.
type Grid = Box<[f64; POINTS]>;

/// The posterior of a match's hands on the grid.
#[derive(Clone, Debug)]
pub(crate) struct TouchHabits {
    usual: Touching,
    /// Natural logarithm of the weight of each point.
    weights: Grid,
    /// The log factor of each absence in these weights, by layer and slot.
    known: BTreeMap<(usize, usize), Grid>,
}

impl TouchHabits {
    /// The prior for hands at this pace.
    pub(crate) fn new(usual: Touching) -> TouchHabits {
        TouchHabits { usual, weights: Box::new([0.0; POINTS]), known: BTreeMap::new() }
    }

    /// Takes the absences that are believed now for a layer, instead of the earlier ones.
    pub(crate) fn relearn(&mut self, layer: usize, held: &[Held]) {
        for slot in 0..MAX_PLIES {
            let held = held.iter().find(|held| held.slot == slot);
            self.learn((layer, slot), held.map(|held| held.away_us));
        }
    }

    /// Takes the absence before one ply, instead of the earlier one of that place.
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

    /// touched(d) of the module's formula, 0 to 1: the probability that the player meant to move the piece.
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

    /// T(d) and U(d) of the module's formula, each by grid point.
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
        // A grid point is a factor of thoughts, a factor of nudges, and a factor of the odds, in this order.
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

/// Natural logarithm of each factor on the grid.
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
