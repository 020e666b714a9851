//! The trellis conditioned on evidence beyond the readings: facts, or the answer to a question.
//!
//! ```text
//! w'(edge)           = w(edge) * l(explanation of the edge)
//! b(newest node)     = l(node)
//! p(record | all)    = mass of the paths that tell the record / mass of all paths
//! mass of a path     = p(root) * PROD over its edges of w' * l(its last node)
//! ```
//!
//! `l` is the likelihood of the evidence, 1 where there is none. Forward and backward passes are
//! those of the trellis with `w'` for `w`; they give the posterior of every explanation, given
//! readings and evidence.

use rules::{Color, Ply};
use rustc_hash::FxHashMap;

use crate::trellis::{Edge, Trellis, normalise};

/// Likelihoods of the evidence beyond the readings.
#[derive(Clone, Debug, Default)]
pub(crate) struct SoftEvidence {
    /// For layers by index, a likelihood for each explanation.
    pub(crate) layers: FxHashMap<usize, Vec<f64>>,
    /// A likelihood for each of the newest nodes.
    pub(crate) ends: Option<Vec<f64>>,
}

/// A trellis under evidence. The mass of a node is the sum over all paths to it.
#[derive(Clone, Debug)]
pub(crate) struct ConditionedTrellis<'a> {
    pub(crate) trellis: &'a Trellis,
    evidence: &'a SoftEvidence,
    /// Masses of the nodes before each open layer, and after the last.
    forward: Vec<Vec<f64>>,
    /// The sum of the masses after each open layer, before they were scaled.
    totals: Vec<f64>,
    ends: Vec<f64>,
}

impl<'a> ConditionedTrellis<'a> {
    /// The forward pass under this evidence.
    pub(crate) fn new(trellis: &'a Trellis, evidence: &'a SoftEvidence) -> ConditionedTrellis<'a> {
        let (mut forward, mut totals) = (vec![trellis.roots.clone()], Vec::new());
        for (layer, index) in trellis.layers().iter().zip(trellis.first_open()..) {
            let mut after = vec![0.0; layer.forward.len()];
            let before = forward.last().map_or(&[][..], Vec::as_slice);
            for (edge, weight) in layer.weighed(evidence.layers.get(&index)) {
                after[usize::from(edge.to)] += before[usize::from(edge.from)] * weight;
            }
            totals.push(normalise(&mut after));
            forward.push(after);
        }
        let nodes = trellis.forward().len();
        let ends = evidence.ends.clone().unwrap_or_else(|| vec![1.0; nodes]);
        ConditionedTrellis { trellis, evidence, forward, totals, ends }
    }

    /// Masses of the newest nodes under all evidence.
    fn end_masses(&self) -> impl Iterator<Item = f64> {
        self.forward.last().into_iter().flatten().zip(&self.ends).map(|(mass, end)| mass * end)
    }

    /// Posterior probability of each of the newest nodes; all 0 if no path is left.
    pub(crate) fn ends(&self) -> Vec<f64> {
        let mut p: Vec<f64> = self.end_masses().collect();
        normalise(&mut p);
        p
    }

    /// The likelihoods of the explanations of the open layer at this position, if there is evidence about it.
    fn factors(&self, at: usize) -> Option<&'a Vec<f64>> {
        self.evidence.layers.get(&(self.trellis.first_open() + at))
    }

    /// Posterior probabilities of the explanations of all open layers. The sum of each layer is 1,
    /// or 0 if no path is left.
    pub(crate) fn explanations(&self) -> Vec<Vec<f64>> {
        let mut later = self.ends.clone();
        let mut all = Vec::with_capacity(self.trellis.layers().len());
        for (at, layer) in self.trellis.layers().iter().enumerate().rev() {
            let (earlier, masses) = layer.backward(&self.forward[at], &later, self.factors(at));
            all.push(masses);
            later = earlier;
        }
        all.reverse();
        all
    }

    /// Posterior probability, 0 to 1, that exactly these plies were made on each board, in this
    /// order. A path may tell a ply before or after the press that it answers.
    pub(crate) fn probability_of(&self, record: &[Vec<(Color, Ply)>; 2]) -> f64 {
        // Masses of the paths that agree so far, by node and by how many plies of each board they
        // have agreed.
        let mut agreeing: FxHashMap<(u16, [usize; 2]), f64> = FxHashMap::default();
        for (node, &mass) in (0..).zip(&self.trellis.roots) {
            agreeing.insert((node, [0; 2]), mass);
        }
        for (at, (layer, total)) in self.trellis.layers().iter().zip(&self.totals).enumerate() {
            let mut onward = FxHashMap::default();
            let mut leaving: FxHashMap<u16, Vec<([usize; 2], f64)>> = FxHashMap::default();
            for (&(node, agreed), &mass) in &agreeing {
                leaving.entry(node).or_default().push((agreed, mass));
            }
            for (edge, weight) in layer.weighed(self.factors(at)) {
                let plies = &layer.explanations[edge.explanation as usize].plies;
                for &(mut agreed, mass) in leaving.get(&edge.from).into_iter().flatten() {
                    let place = &mut agreed[layer.board.index()];
                    let due = record[layer.board.index()].get(*place..*place + plies.len());
                    let made = plies.iter().map(|made| (made.side, made.ply));
                    if due.is_some_and(|due| made.eq(due.iter().copied())) {
                        *place += plies.len();
                        *onward.entry((edge.to, agreed)).or_insert(0.0) += mass * weight;
                    }
                }
            }
            if *total <= 0.0 {
                return 0.0;
            }
            onward.values_mut().for_each(|mass| *mass /= total);
            agreeing = onward;
        }
        let map_record = [record[0].len(), record[1].len()];
        let ends =
            |(node, &end): (u16, &f64)| end * agreeing.get(&(node, map_record)).unwrap_or(&0.0);
        let agreeing_mass: f64 = (0..).zip(&self.ends).map(ends).sum();
        let whole_mass: f64 = self.end_masses().sum();
        if whole_mass > 0.0 { agreeing_mass / whole_mass } else { 0.0 }
    }

    /// The explanations of the likeliest path, one for each open layer (max-product, the Viterbi
    /// algorithm). None if no path is left.
    pub(crate) fn likeliest_path(&self) -> Option<Vec<u32>> {
        let mut best = self.trellis.roots.clone();
        let mut into: Vec<Vec<Option<&Edge>>> = Vec::with_capacity(self.trellis.layers().len());
        for (at, layer) in self.trellis.layers().iter().enumerate() {
            let mut after = vec![0.0; layer.forward.len()];
            let mut edges = vec![None; layer.forward.len()];
            for (edge, weight) in layer.weighed(self.factors(at)) {
                let mass = best[usize::from(edge.from)] * weight;
                if mass > after[usize::from(edge.to)] {
                    after[usize::from(edge.to)] = mass;
                    edges[usize::from(edge.to)] = Some(edge);
                }
            }
            normalise(&mut after);
            into.push(edges);
            best = after;
        }
        let end = |node: &usize| best[*node] * self.ends[*node];
        let mut node = (0..best.len()).max_by(|a, b| end(a).total_cmp(&end(b)).then(b.cmp(a)))?;
        let mut path = Vec::with_capacity(into.len());
        for edges in into.iter().rev() {
            let edge = edges[node]?;
            path.push(edge.explanation);
            node = usize::from(edge.from);
        }
        path.reverse();
        Some(path)
    }
}

/// Small trellises, and all their paths one by one.
#[cfg(test)]
pub(crate) mod small {
    use proptest::prelude::*;
    use rules::{BoardId, RESERVE_ROLES, Square};
    use smallvec::smallvec;

    use super::*;
    use crate::{
        explanation::{ExplainedPly, Explanation, PressPattern},
        trellis::Layer,
    };

    /// A layer of board A in which a piece was dropped on one square. Each explanation is one type.
    pub(crate) fn layer(at: usize, explanations: usize, edges: Vec<Edge>, before: &[f64]) -> Layer {
        let t_us = 1_000_000 * (at as u64 + 1);
        let side = if at.is_multiple_of(2) { Color::White } else { Color::Black };
        let to = Square::new(16 + at as u32);
        let explanation = |role| Explanation {
            plies: smallvec![ExplainedPly {
                ply: Ply::Drop { role, to },
                side,
                illegal: None,
                captured: None,
                landed_us: t_us,
                t_us
            }],
            pattern: PressPattern::Regular,
        };
        let nodes = edges.iter().map(|edge| usize::from(edge.to) + 1).max().unwrap_or(1);
        let mut forward = vec![0.0; nodes];
        for edge in &edges {
            forward[usize::from(edge.to)] += before[usize::from(edge.from)] * edge.weight;
        }
        normalise(&mut forward);
        Layer {
            board: BoardId::A,
            presser: Some(side),
            t_us,
            explanations: RESERVE_ROLES[..explanations]
                .iter()
                .map(|&role| explanation(role))
                .collect(),
            edges,
            forward,
        }
    }

    /// A trellis of layers with these numbers of explanations and these edges.
    pub(crate) fn trellis(roots: &[f64], layers: &[(usize, Vec<Edge>)]) -> Trellis {
        let mut trellis = Trellis::new(roots.to_vec());
        for (at, (explanations, edges)) in layers.iter().enumerate() {
            let next = layer(at, *explanations, edges.clone(), trellis.forward());
            trellis.push(next);
        }
        trellis
    }

    /// White moves and Black answers: with this probability before White's press, otherwise after it.
    pub(crate) fn answered_early_or_not(early: f64) -> Trellis {
        let ply = |side, ply: &str, t_us| ExplainedPly {
            ply: ply.parse().expect("a ply"),
            side,
            illegal: None,
            captured: None,
            landed_us: t_us,
            t_us,
        };
        let moved = ply(Color::White, "e2e4", 1_000_000);
        let before = ply(Color::Black, "e7e5", 900_000);
        let after = ply(Color::Black, "e7e5", 2_000_000);
        let edge = |from, to, explanation, weight| Edge { from, to, explanation, weight };
        let press = |presser, t_us, explanations, edges, forward| Layer {
            board: BoardId::A,
            presser: Some(presser),
            t_us,
            explanations,
            edges,
            forward,
        };
        let mut trellis = Trellis::new(vec![1.0]);
        trellis.push(press(
            Color::White,
            1_000_000,
            vec![
                Explanation { plies: smallvec![moved], pattern: PressPattern::Regular },
                Explanation { plies: smallvec![moved, before], pattern: PressPattern::Answered },
            ],
            vec![edge(0, 0, 0, 1.0 - early), edge(0, 1, 1, early)],
            vec![1.0 - early, early],
        ));
        trellis.push(press(
            Color::Black,
            2_000_000,
            vec![
                Explanation { plies: smallvec![after], pattern: PressPattern::Regular },
                Explanation { plies: smallvec![], pattern: PressPattern::Nothing },
            ],
            vec![edge(0, 0, 0, 1.0), edge(1, 0, 1, 1.0)],
            vec![1.0],
        ));
        trellis
    }

    /// Any trellis of up to four layers with three nodes and three explanations each.
    pub(crate) fn any() -> impl Strategy<Value = Trellis> {
        let edge = (0u16..3, 0u16..3, 0u32..3, 0.01f64..1.0)
            .prop_map(|(from, to, explanation, weight)| Edge { from, to, explanation, weight });
        let layer = proptest::collection::vec(edge, 0..6).prop_map(|mut edges| {
            // One edge from every node and into every node, so that no path ends.
            let through = |node: u16| Edge { from: node, to: node, explanation: 0, weight: 0.1 };
            edges.extend((0..3).map(through));
            (3, edges)
        });
        proptest::collection::vec(layer, 1..5).prop_map(|layers| trellis(&[0.5, 0.3, 0.2], &layers))
    }

    /// All paths under evidence: their explanations and their probabilities.
    pub(crate) fn samples(trellis: &Trellis, evidence: &SoftEvidence) -> Vec<(Vec<u32>, f64)> {
        let mut samples: Vec<(u16, Vec<u32>, f64)> =
            trellis.roots.iter().zip(0..).map(|(&p, node)| (node, vec![], p)).collect();
        for (layer, index) in trellis.layers().iter().zip(trellis.first_open()..) {
            let mut longer = Vec::new();
            for (node, explanations, p) in &samples {
                let edges = layer.weighed(evidence.layers.get(&index));
                for (edge, weight) in edges.filter(|(edge, _)| edge.from == *node) {
                    let explanations = [explanations.as_slice(), &[edge.explanation]].concat();
                    longer.push((edge.to, explanations, p * weight));
                }
            }
            samples = longer;
        }
        let end = |node: u16| evidence.ends.as_ref().map_or(1.0, |ends| ends[usize::from(node)]);
        let weighed =
            samples.into_iter().map(|(node, explanations, p)| (explanations, p * end(node)));
        let mut all: Vec<(Vec<u32>, f64)> = weighed.collect();
        let total: f64 = all.iter().map(|(_, p)| p).sum();
        all.iter_mut().for_each(|(_, p)| *p /= total);
        all
    }
}

#[cfg(test)]
mod tests;
