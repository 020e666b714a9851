//! The set-up that each hypothesis began with, and how none is lost before the readings refute it.
//!
//! ```text
//! share(s)    = SUM of masses of the hypotheses that began with set-up s / SUM of all masses
//! standing(h) = mass(h) / max(share(s of h), REFUTED)
//! ```
//!
//! The set-up does not change in a match, and pieces show it late: when a king or a queen moves
//! far, castles or gives check. Until then a swapped set-up has its prior probability, which is
//! below what the beam keeps of rare layouts and below the bounds on work of each step. Each loss
//! on the way would be one for good, because no reading can bring a set-up back. So hypotheses
//! compete by standing within their set-up, not across set-ups: each is explained as if its set-up
//! were sure. That changes no probabilities, only the search and the choice of kept hypotheses.

use std::hash::Hash;

use crate::{
    back_rank::BackRank,
    beam::resample::{Survivor, select},
};

/// A set-up of both boards: the back ranks, by board, White first.
pub(crate) type SetUp = [[BackRank; 2]; 2];

/// A set-up with a smaller share than this is pruned, 0 to 1. Two plies that only an illegal one
/// or a lapse explains are as unlikely. Assumed.
const REFUTED: f64 = 1e-7;
/// One place in this many of the beam is kept for each set-up with a slight share. Assumed.
const PLACES_PART: usize = 64;

/// The share of each set-up, 0 to 1, by its number.
fn shares(masses: &[f64], set_ups: &[u8]) -> Vec<f64> {
    let count = set_ups.iter().max().map_or(0, |&last| usize::from(last) + 1);
    let (mut shares, mut total) = (vec![0.0; count], 0.0);
    for (&mass, &set_up) in masses.iter().zip(set_ups) {
        shares[usize::from(set_up)] += mass;
        total += mass;
    }
    if total > 0.0 {
        shares.iter_mut().for_each(|share| *share /= total);
    }
    shares
}

/// The factors that make standings of masses, one for each hypothesis. The standings of a set-up
/// have the sum of all masses. `set_ups` has the number of its set-up.
pub(crate) fn factors(masses: &[f64], set_ups: &[u8]) -> Vec<f64> {
    let shares = shares(masses, set_ups);
    set_ups.iter().map(|&set_up| 1.0 / shares[usize::from(set_up)].max(REFUTED)).collect()
}

/// The set-up with the greatest share, by its number; of equal ones the first.
pub(crate) fn likeliest(masses: &[f64], set_ups: &[u8]) -> Option<u8> {
    let shares = shares(masses, set_ups);
    let best =
        (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]).then(b.cmp(&a)))?;
    u8::try_from(best).ok()
}

/// [Chooses](select) at most `beam` of the hypotheses. Each set-up with too slight a share to have
/// some places by itself gets a few, among which its hypotheses are chosen alone.
pub(crate) fn select_from_each<L: Hash + Eq>(
    masses: &[f64],
    set_ups: &[u8],
    beam: usize,
    layout: impl Fn(u32) -> L,
) -> Vec<Survivor> {
    let shares = shares(masses, set_ups);
    let places = beam / PLACES_PART;
    let is_slight = |share: f64| share >= REFUTED && share * (beam as f64) < places as f64;
    let mut survivors = Vec::new();
    let mut choose = |beam: usize, is_in: &dyn Fn(u8) -> bool| {
        let nodes: Vec<u32> = (0..)
            .zip(set_ups)
            .filter(|&(_, &set_up)| is_in(set_up))
            .map(|(node, _)| node)
            .collect();
        let among: Vec<f64> = nodes.iter().map(|&node| masses[node as usize]).collect();
        let chosen = select(&among, beam, |at| layout(nodes[at as usize]));
        let count = chosen.len();
        survivors.extend(
            chosen
                .into_iter()
                .map(|Survivor { node, factor }| Survivor { node: nodes[node as usize], factor }),
        );
        count
    };
    let mut left = beam;
    for (slight, _) in shares.iter().enumerate().filter(|share| is_slight(*share.1)) {
        left -= choose(places, &|set_up| usize::from(set_up) == slight);
    }
    choose(left, &|set_up| !is_slight(shares[usize::from(set_up)]));
    survivors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred hypotheses of the likely set-up, and two of another that is a thousand times less likely.
    fn masses() -> (Vec<f64>, Vec<u8>) {
        let likely = (0..100).map(|_| (1.0, 0));
        likely.chain([(0.09, 1), (0.01, 1)]).unzip()
    }

    #[test]
    fn a_set_up_that_nothing_has_refuted_keeps_its_hypotheses_and_its_share() {
        let (masses, set_ups) = masses();
        let survivors = select_from_each(&masses, &set_ups, 64, |_| 0);
        assert!(survivors.len() <= 64);
        let swapped: f64 = survivors
            .iter()
            .filter(|survivor| set_ups[survivor.node as usize] == 1)
            .map(|survivor| masses[survivor.node as usize] * survivor.factor)
            .sum();
        assert!((swapped - 0.1).abs() < 0.011, "{swapped}");
    }

    #[test]
    fn a_refuted_set_up_gets_no_places() {
        let (mut masses, set_ups) = masses();
        masses[100..].fill(1e-12);
        let survivors = select_from_each(&masses, &set_ups, 64, |_| 0);
        assert!(survivors.iter().all(|survivor| survivor.node < 100));
    }

    #[test]
    fn the_best_of_each_set_up_stand_alike() {
        let (masses, set_ups) = masses();
        let total: f64 = masses.iter().sum();
        let factors = factors(&masses, &set_ups);
        assert!((masses[100] * factors[100] / total - 0.9).abs() < 1e-9);
        assert_eq!(likeliest(&masses, &set_ups), Some(0));
    }
}
