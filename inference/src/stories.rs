//! Whole stories of a match, drawn by their posterior probability.
//!
//! Forward filtering, backward sampling: the last node by its posterior, then edge by edge backwards by
//! what the forward pass says of where it came from. The draws come from a generator of our own with a fixed
//! seed (SplitMix64: Steele, Lea and Flood, 2014), so equal trellises give equal stories on every machine.

use std::ops::Range;

use crate::{given::Given, trellis::Layer};

/// Seed of every drawing.
const SEED: u64 = 0x7477_696e_626f_6172;

/// Drawn stories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stories {
    /// For each open layer, the choice of each story.
    pub(crate) choices: Vec<Vec<u32>>,
}

impl Stories {
    /// Draws `count` stories through these layers, whose ways `into` their nodes are; none if no story is left.
    pub(crate) fn draw(given: &Given<'_>, into: &[WaysInto], count: usize) -> Stories {
        let mut chance = Chance(SEED);
        let mut ends = given.ends();
        accumulate(&mut ends);
        let mut nodes: Vec<usize> = (0..count).filter_map(|_| pick(&ends, chance.next())).collect();
        let mut choices = Vec::with_capacity(into.len());
        let mut sums: Vec<f64> = Vec::new();
        let mut is_summed: Vec<bool> = Vec::new();
        for (at, (layer, ways)) in given.layers().iter().zip(into).enumerate().rev() {
            let mut made = Vec::with_capacity(nodes.len());
            let reaching = given.reaching(at);
            sums.clear();
            sums.resize(ways.edges.len(), 0.0);
            is_summed.clear();
            is_summed.resize(layer.forward.len(), false);
            for node in &mut nodes {
                let span = ways.of(*node);
                let edges = &ways.edges[span.clone()];
                let edge = if let [only] = edges {
                    *only
                } else {
                    let sums = &mut sums[span];
                    if !std::mem::replace(&mut is_summed[*node], true) {
                        for (sum, &edge) in sums.iter_mut().zip(edges) {
                            *sum = reaching.mass(edge);
                        }
                        accumulate(sums);
                    }
                    // A node that was reached has a way into it.
                    let Some(way) = pick(sums, chance.next()) else { continue };
                    edges[way]
                };
                let edge = &layer.edges[edge as usize];
                made.push(edge.choice);
                *node = usize::from(edge.from);
            }
            choices.push(made);
        }
        choices.reverse();
        Stories { choices }
    }
}

/// The edges into each node of a layer.
pub(crate) struct WaysInto {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl WaysInto {
    /// Those of a layer.
    pub(crate) fn nodes_of(layer: &Layer) -> WaysInto {
        let mut starts = vec![0u32; layer.forward.len() + 1];
        for edge in &layer.edges {
            starts[usize::from(edge.to) + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; layer.edges.len()];
        for (index, edge) in layer.edges.iter().enumerate() {
            let slot = &mut next[usize::from(edge.to)];
            edges[*slot as usize] = index as u32;
            *slot += 1;
        }
        WaysInto { starts, edges }
    }

    /// Where the ways into a node are.
    fn of(&self, node: usize) -> Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }
}

/// Makes each mass the sum of those up to it.
fn accumulate(masses: &mut [f64]) {
    let mut sum = 0.0;
    for mass in masses {
        sum += *mass;
        *mass = sum;
    }
}

/// The index that `u`, 0 to 1, falls on; none if there is no mass.
fn pick(cumulative: &[f64], u: f64) -> Option<usize> {
    let total = *cumulative.last().filter(|&&total| total > 0.0)?;
    Some(cumulative.partition_point(|&sum| sum <= u * total).min(cumulative.len() - 1))
}

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
    use crate::{
        given::{Evidence, small},
        trellis::Trellis,
    };

    fn drawn(trellis: &Trellis, evidence: &Evidence, count: usize) -> Stories {
        let into: Vec<_> = trellis.layers().iter().map(WaysInto::nodes_of).collect();
        Stories::draw(&Given::new(trellis, evidence), &into, count)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn stories_are_drawn_as_often_as_they_are_probable(trellis in small::any()) {
            const DRAWN: usize = 20_000;
            let evidence = Evidence::default();
            let drawn = drawn(&trellis, &evidence, DRAWN);
            let mut expected: Vec<(Vec<u32>, f64)> = Vec::new();
            for (choices, p) in small::stories(&trellis, &evidence) {
                match expected.iter_mut().find(|(known, _)| *known == choices) {
                    Some((_, sum)) => *sum += p,
                    None => expected.push((choices, p)),
                }
            }
            for (choices, p) in expected {
                let same = |story: &usize| {
                    drawn.choices.iter().zip(&choices).all(|(layer, choice)| layer[*story] == *choice)
                };
                let share = (0..DRAWN).filter(same).count() as f64 / DRAWN as f64;
                // Five standard deviations of a share of so many.
                prop_assert!((share - p).abs() < 0.02, "{choices:?}: {share} for {p}");
            }
        }
    }

    #[test]
    fn no_stories_are_drawn_where_none_is_left() {
        let edges = vec![crate::trellis::Edge { from: 0, to: 0, choice: 0, weight: 1.0 }];
        let trellis = small::trellis(&[1.0], &[(1, edges)]);
        let evidence = Evidence { ends: Some(vec![0.0]), ..Evidence::default() };
        let drawn = drawn(&trellis, &evidence, 10);
        assert_eq!(drawn.choices, [Vec::<u32>::new()]);
    }
}
