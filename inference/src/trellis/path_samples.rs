//! Whole paths of a match, drawn by their posterior probability.
//!
//! ```text
//! p(path) = p(n_T) * PROD over layers t = T .. 1 of p(edge_t | n_t),     p(edge | node) ~ a(from) * w'(edge)
//! ```
//!
//! This is forward filtering, backward sampling. `n_t` is the node of the path after layer `t`: the last one is drawn
//! by its posterior, and then edge by edge backwards. `a` is the forward mass of a node and `w'` the weight of an edge
//! under evidence. The random numbers come from an own generator with a fixed seed (SplitMix64: Steele, Lea and Flood,
//! 2014), so equal trellises give equal paths on every machine.

use crate::trellis::{Layer, conditioned::ConditionedTrellis};

/// Seed of every drawing. Any number would do; this one spells "twinboar" in ASCII. Assumed.
const SEED: u64 = 0x7477_696e_626f_6172;

/// Drawn paths.
#[derive(Clone, Debug)]
pub(crate) struct PathSamples {
    /// For each open layer, the explanation of each path.
    pub(crate) explanations: Vec<Vec<u32>>,
    chance: Chance,
}

impl PathSamples {
    /// No path yet, through so many layers.
    pub(crate) fn none(layers: usize) -> PathSamples {
        PathSamples { explanations: vec![Vec::new(); layers], chance: Chance(SEED) }
    }

    /// Keeps the paths whose explanation in the open layer at this position `is_kept`. What is left is a draw from the
    /// paths with such an explanation.
    pub(crate) fn retain(&mut self, at: usize, is_kept: impl Fn(u32) -> bool) {
        let Some(decisive) = self.explanations.get(at) else { return };
        let kept: Vec<bool> = decisive.iter().map(|&explanation| is_kept(explanation)).collect();
        for explanations in &mut self.explanations {
            let mut kept = kept.iter();
            explanations.retain(|_| kept.next().copied().unwrap_or(false));
        }
    }

    /// Draws more paths until there are `count`; none if no path is left. `into` has the edges of each layer by node.
    pub(crate) fn draw(
        &mut self,
        conditioned: &ConditionedTrellis<'_>,
        into: &[EdgesInto],
        count: usize,
    ) {
        let PathSamples { explanations, chance } = self;
        let mut ends = conditioned.ends();
        accumulate(&mut ends);
        let missing = count.saturating_sub(explanations.first().map_or(0, Vec::len));
        let mut nodes: Vec<usize> =
            (0..missing).filter_map(|_| pick(&ends, chance.next())).collect();
        let layers =
            conditioned.trellis.layers().iter().zip(into).zip(explanations).enumerate().rev();
        for (at, ((layer, into), made)) in layers {
            let masses = conditioned.reaching(at);
            let mut sums: Vec<Vec<f64>> = vec![Vec::new(); into.0.len()];
            for node in &mut nodes {
                let edges = &into.0[*node];
                let edge = if let [only] = edges[..] {
                    only
                } else {
                    let sums = &mut sums[*node];
                    if sums.is_empty() {
                        sums.extend(edges.iter().map(|&edge| masses[edge as usize]));
                        accumulate(sums);
                    }
                    // A node that was reached has an edge into it.
                    let place = pick(sums, chance.next()).unwrap_or(0);
                    let Some(&edge) = edges.get(place) else { continue };
                    edge
                };
                let edge = &layer.edges[edge as usize];
                made.push(edge.explanation);
                *node = usize::from(edge.from);
            }
        }
    }
}

/// The edges into each node of a layer, by their indices.
pub(crate) struct EdgesInto(Vec<Vec<u32>>);

impl EdgesInto {
    /// The edges of a layer by the node they lead to.
    pub(crate) fn nodes_of(layer: &Layer) -> EdgesInto {
        let mut into = vec![Vec::new(); layer.forward.len()];
        for (edge, index) in layer.edges.iter().zip(0..) {
            into[usize::from(edge.to)].push(index);
        }
        EdgesInto(into)
    }
}

/// Makes each mass the sum of the masses up to it.
fn accumulate(masses: &mut [f64]) {
    let mut sum = 0.0;
    for mass in masses {
        sum += *mass;
        *mass = sum;
    }
}

/// The index whose share of the total `u`, 0 to 1, falls on; none if there is no mass.
fn pick(cumulative: &[f64], u: f64) -> Option<usize> {
    let total = *cumulative.last().filter(|&&total| total > 0.0)?;
    Some(cumulative.partition_point(|&sum| sum <= u * total).min(cumulative.len() - 1))
}

#[derive(Clone, Debug)]
struct Chance(u64);

impl Chance {
    /// The next number, 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trellis::{
        Trellis,
        conditioned::{SoftEvidence, small},
    };

    fn drawn(trellis: &Trellis, evidence: &SoftEvidence, count: usize) -> PathSamples {
        let mut samples = PathSamples::none(trellis.layers().len());
        draw(&mut samples, trellis, evidence, count);
        samples
    }

    fn draw(samples: &mut PathSamples, trellis: &Trellis, evidence: &SoftEvidence, count: usize) {
        let into: Vec<_> = trellis.layers().iter().map(EdgesInto::nodes_of).collect();
        samples.draw(&ConditionedTrellis::new(trellis, evidence), &into, count);
    }

    const DRAWN: usize = 20_000;

    /// Whether the paths are drawn as often as they are probable.
    fn check(
        drawn: &PathSamples,
        trellis: &Trellis,
        evidence: &SoftEvidence,
    ) -> Result<(), TestCaseError> {
        let mut expected: Vec<(Vec<u32>, f64)> = Vec::new();
        for (explanations, p) in small::samples(trellis, evidence) {
            match expected.iter_mut().find(|(known, _)| *known == explanations) {
                Some((_, sum)) => *sum += p,
                None => expected.push((explanations, p)),
            }
        }
        for (explanations, p) in expected {
            let same = |path: &usize| {
                drawn
                    .explanations
                    .iter()
                    .zip(&explanations)
                    .all(|(layer, explanation)| layer[*path] == *explanation)
            };
            let share = (0..DRAWN).filter(same).count() as f64 / DRAWN as f64;
            // More than five standard deviations of a share of so many draws.
            prop_assert!((share - p).abs() < 0.02, "{explanations:?}: {share} for {p}");
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn paths_are_drawn_as_often_as_they_are_probable(trellis in small::any()) {
            let evidence = SoftEvidence::default();
            check(&drawn(&trellis, &evidence, DRAWN), &trellis, &evidence)?;
        }

        #[test]
        fn paths_that_are_kept_beside_new_ones_are_as_probable_as_what_they_were_kept_for(
            trellis in small::any()
        ) {
            let mut samples = drawn(&trellis, &SoftEvidence::default(), DRAWN);
            samples.retain(0, |explanation| explanation == 0);
            let kept = samples.explanations[0].len();
            prop_assume!(kept > 0);
            let factors = (0..trellis.layers()[0].explanations.len()).map(|at| if at == 0 { 1.0 } else { 0.0 });
            let layers = [(0, factors.collect())].into_iter().collect();
            let evidence = SoftEvidence { layers, ..SoftEvidence::default() };
            draw(&mut samples, &trellis, &evidence, DRAWN);
            prop_assert_eq!(samples.explanations[0].len(), DRAWN);
            check(&samples, &trellis, &evidence)?;
        }
    }

    #[test]
    fn no_paths_are_drawn_where_none_is_left() {
        let edges = vec![crate::trellis::Edge { from: 0, to: 0, explanation: 0, weight: 1.0 }];
        let trellis = small::trellis(&[1.0], &[(1, edges)]);
        let evidence = SoftEvidence { ends: Some(vec![0.0]), ..SoftEvidence::default() };
        let drawn = drawn(&trellis, &evidence, 10);
        assert_eq!(drawn.explanations, [Vec::<u32>::new()]);
    }
}
