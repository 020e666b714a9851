//! The choice of hypotheses that go on when there are more than the beam holds.
//!
//! ```text
//! c         : SUM over hypotheses of min(1, mass / c) = places, but c >= MIN_STATE_MASS * SUM of masses
//! mass >= c : goes on with factor 1
//! mass <  c : one in about c / mass goes on, with factor c / mass
//! ```
//!
//! This is optimal resampling (P. Fearnhead and P. Clifford, "On-line inference for hidden Markov
//! models via particle filters", J. R. Statist. Soc. B 65, 2003), which cuts without bias. To keep
//! only the likeliest would make every answer too sure: each of many doubts would lose its less
//! likely side first, although all of these sides together are likely. The draw is not left to
//! chance: representatives are drawn at even distances of the summed masses, in the order in which
//! hypotheses were found, where variants of one path stand side by side.
//!
//! A negligible hypothesis costs as much to carry on as the likeliest. So `c` has a lower limit:
//! even where the beam would hold all, hypotheses below it go on by representatives. Before the
//! cut, some places go to [rare layouts](of_rare_layouts).

use std::{cmp::Ordering, hash::Hash};

use rustc_hash::FxHashMap;

/// One place in this many of the beam is reserved for rare layouts. Assumed.
const RESERVED_PART: usize = 4;
/// A layout with this many places gets no reserved one. Assumed.
const LAYOUT_PLACES: usize = 24;
/// The same for hypotheses among the likeliest that are below [`MIN_STATE_MASS`]. Assumed.
const PLACES_OF_NEGLIGIBLE: usize = 2;
/// Such a hypothesis must have this part of the sum of masses. Bound: on work; a smaller part costs
/// more time and finds no more.
const WORTH_A_PLACE: f64 = 0.1 * MIN_STATE_MASS;

/// Hypotheses below this part of the sum of masses go on by representatives, however many places
/// there are. Measured (`docs/decisions/0009-limits-of-reed-boards.md`): while choices counted in
/// full, 1e-5 changed no answer, and 1e-4 made labels from 0.97 on less often right. As choices
/// [count now](crate::params::choice_speaks), this cuts as much as 1e-5 did.
const MIN_STATE_MASS: f64 = 5e-5;
/// This many hypotheses go on uncut: fewer would save nothing. Bound: on work.
const FEW: usize = 32;

/// A hypothesis that goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Survivor {
    pub(crate) node: u32,
    /// The factor, at least 1, by which it stands for hypotheses that do not go on.
    pub(crate) factor: f64,
}

/// The order of two hypotheses: the higher mass first, and of equal masses the one that was found first.
pub(crate) fn by_mass(a: (u32, f64), b: (u32, f64)) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// Chooses at most `beam` of the hypotheses with these masses (0 or above, and finite).
///
/// Hypotheses with equal `layout` have pieces and kings on the same squares. Unknown types alone
/// would fill any beam, but the next plies tell the squares of pieces much sooner than their types.
/// So some places are kept for layouts that are rare among the likeliest hypotheses.
pub(crate) fn select<L: Hash + Eq>(
    masses: &[f64],
    beam: usize,
    layout: impl Fn(u32) -> L,
) -> Vec<Survivor> {
    if masses.len() <= beam.min(FEW) {
        return (0..masses.len() as u32).map(|node| Survivor { node, factor: 1.0 }).collect();
    }
    let mut order: Vec<(u32, f64)> = (0..).zip(masses.iter().copied()).collect();
    let beam = beam.min(order.len());
    if beam < order.len() {
        order.select_nth_unstable_by(beam, |&a, &b| by_mass(a, b));
    }
    order[..beam].sort_unstable_by(|&a, &b| by_mass(a, b));
    let mut taken = vec![false; masses.len()];
    let mut survivors = Vec::with_capacity(beam);
    let sum: f64 = masses.iter().sum();
    let is_below = |node: u32, part: f64| masses[node as usize] < part * sum;
    for node in of_rare_layouts(&mut order, beam, is_below, layout) {
        taken[node as usize] = true;
        survivors.push(Survivor { node, factor: 1.0 });
    }
    let places = beam - survivors.len();
    let likeliest =
        order[..beam].iter().map(|ranked| ranked.0).filter(|&node| !taken[node as usize]);
    let total: f64 = (0..masses.len()).filter(|&node| !taken[node]).map(|node| masses[node]).sum();
    let threshold = threshold(likeliest.map(|node| masses[node as usize]), total, places);
    let threshold = threshold.max(MIN_STATE_MASS * total);
    let mut sum = 0.5 * threshold;
    for (node, &mass) in masses.iter().enumerate() {
        if taken[node] {
            continue;
        }
        if mass >= threshold {
            survivors.push(Survivor { node: node as u32, factor: 1.0 });
        } else {
            sum += mass;
            if sum >= threshold {
                sum -= threshold;
                survivors.push(Survivor { node: node as u32, factor: threshold / mass });
            }
        }
    }
    survivors.truncate(beam);
    survivors
}

/// The mass `c` from which on a hypothesis goes on for sure, if `places` are to be filled.
/// `likeliest` are the highest masses, highest first, and `total` is the sum of all.
fn threshold(likeliest: impl Iterator<Item = f64>, total: f64, places: usize) -> f64 {
    let mut rest = total;
    for (above, mass) in likeliest.take(places.saturating_sub(1)).enumerate() {
        // If `above` hypotheses go on for sure, the others share the places that are left.
        let threshold = rest / (places - above) as f64;
        if mass < threshold {
            return threshold;
        }
        rest -= mass;
    }
    rest.max(0.0)
}

/// The likeliest hypotheses of layouts that have few places among the likeliest of all.
///
/// Negligible hypotheses among the likeliest are sure of no place and are considered first. A path
/// that showed late may be one of them, and the squares of its pieces will soon speak for it.
fn of_rare_layouts<L: Hash + Eq>(
    order: &mut [(u32, f64)],
    beam: usize,
    is_below: impl Fn(u32, f64) -> bool,
    layout: impl Fn(u32) -> L,
) -> Vec<u32> {
    let reserved = beam / RESERVED_PART;
    let certain = beam - reserved;
    let above = |part| order[..certain].partition_point(|ranked| !is_below(ranked.0, part));
    let (sure, worth_a_place) = (above(MIN_STATE_MASS), above(WORTH_A_PLACE));
    let mut layouts: FxHashMap<L, usize> = FxHashMap::default();
    for node in order[..sure].iter().map(|ranked| ranked.0) {
        *layouts.entry(layout(node)).or_default() += 1;
    }
    order[beam..].sort_unstable_by(|&a, &b| by_mass(a, b));
    let mut rare = Vec::new();
    for at in (sure..worth_a_place).chain(certain..order.len()) {
        if rare.len() == reserved {
            break;
        }
        let node = order[at].0;
        let most = if at < certain { PLACES_OF_NEGLIGIBLE } else { LAYOUT_PLACES };
        let places = layouts.entry(layout(node)).or_default();
        if *places < most {
            *places += 1;
            rare.push(node);
        }
    }
    rare
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weigh(masses: &[f64], survivors: &[Survivor]) -> f64 {
        survivors.iter().map(|survivor| masses[survivor.node as usize] * survivor.factor).sum()
    }

    proptest! {
        #[test]
        fn the_likeliest_go_on_as_they_are_and_the_sum_stays(
            masses in proptest::collection::vec(1e-9f64..1.0, 1..200), beam in 2usize..64
        ) {
            let survivors = select(&masses, beam, |_| 0);
            prop_assert!(survivors.len() <= beam);
            let total: f64 = masses.iter().sum();
            let smallest = survivors.iter().map(|s| masses[s.node as usize] * s.factor)
                .fold(f64::MAX, f64::min);
            // One representative more or less.
            prop_assert!((weigh(&masses, &survivors) - total).abs() <= smallest + 1e-9);
            for survivor in &survivors {
                prop_assert!(survivor.factor >= 1.0);
            }
            let most = masses.iter().copied().fold(0.0, f64::max);
            let kept = survivors.iter().any(|s| masses[s.node as usize] == most);
            // It has one of the places that are not reserved for rare layouts.
            let places = beam - beam / RESERVED_PART;
            prop_assert!(kept || most * places as f64 <= total * 1.01, "the likeliest is gone");
        }

        #[test]
        fn a_beam_that_holds_all_cuts_only_what_is_negligible(
            masses in proptest::collection::vec(
                prop_oneof![Just(0.0), 0.001f64..1.0, 1e-12f64..1e-8], 0..50)
        ) {
            let survivors = select(&masses, 50, |_| 0);
            let total: f64 = masses.iter().sum();
            for (node, &mass) in masses.iter().enumerate() {
                let as_it_is = Survivor { node: node as u32, factor: 1.0 };
                prop_assert!(mass < MIN_STATE_MASS * total || survivors.contains(&as_it_is), "{}", node);
            }
        }
    }

    #[test]
    fn a_rare_layout_keeps_places_that_its_probability_would_not_give_it() {
        let masses: Vec<f64> = (0..100).map(|node| if node < 96 { 1.0 } else { 1e-9 }).collect();
        let survivors = select(&masses, 64, |node| node >= 96);
        for node in 96..100 {
            assert!(survivors.contains(&Survivor { node, factor: 1.0 }), "{node}");
        }
    }

    #[test]
    fn a_layout_that_is_negligible_keeps_a_place_among_hypotheses_that_are() {
        let masses: Vec<f64> = (0..100).map(|node| if node < 10 { 1.0 } else { 1e-4 }).collect();
        let survivors = select(&masses, 128, |node| node == 50);
        assert!(survivors.contains(&Survivor { node: 50, factor: 1.0 }));
    }

    #[test]
    fn many_alike_doubts_keep_their_less_likely_sides() {
        // Ten doubts of one in ten each: 1,024 paths, of which 64 go on.
        let side = |filter: u32, doubt: u32| filter >> doubt & 1 == 1;
        let masses: Vec<f64> = (0..1024)
            .map(|filter| {
                (0..10).map(|doubt| if side(filter, doubt) { 0.1 } else { 0.9 }).product()
            })
            .collect();
        let survivors = select(&masses, 64, |_| 0);
        let total = weigh(&masses, &survivors);
        let doubts: f64 = (0..10)
            .map(|doubt| {
                let sided = survivors.iter().filter(|survivor| side(survivor.node, doubt));
                sided.map(|s| masses[s.node as usize] * s.factor).sum::<f64>() / total
            })
            .sum();
        assert!((doubts - 1.0).abs() < 0.05, "{doubts} of ten doubts of one in ten");
    }
}
