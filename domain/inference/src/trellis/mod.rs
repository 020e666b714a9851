//! The trellis of joint hypotheses: one layer of nodes for each closed segment, and every edge
//! between layers.
//!
//! ```text
//! forward:   a(j)    = SUM over edges i -> j of a(i) * w(i -> j)
//! backward:  b(i)    = SUM over edges i -> j of w(i -> j) * b(j),     b = 1 at the newest nodes
//! posterior: p(edge) ~ a(i) * w(i -> j) * b(j)
//!            p(explanation of a layer) = SUM over the edges that have it of p(edge)
//! ```
//!
//! `i` and `j` are nodes of neighbouring layers. `w` is the weight of an edge: that of its
//! transition (`beam/combine.rs`) times the factor of resampling (`beam/resample.rs`). Each layer
//! is scaled: `a` and `p` to the sum 1, `b` to the greatest 1. `~` stands for equal up to that
//! factor.
//!
//! Equal joint states are one node, and every edge into it is kept: two paths that lead to the same
//! pieces on the boards are still two accounts of the match. The forward pass happens as layers are
//! added. Both passes are sums and products of `f64` in a fixed order, without logarithms.

pub(crate) mod conditioned;
pub(crate) mod map_record;
mod thinning;

use rules::{BoardId, Color};

use crate::explanation::Explanation;

/// An edge from a node of one layer to a node of the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u16,
    pub(crate) to: u16,
    /// Index into the layer's explanations.
    pub(crate) explanation: u32,
    pub(crate) weight: f64,
}

/// One closed segment of one board: the edges into this layer's nodes.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) board: BoardId,
    /// Side that pressed; none if the clock was stopped.
    pub(crate) presser: Option<Color>,
    /// Time at which it was closed, microseconds since the trace began.
    pub(crate) t_us: u64,
    pub(crate) explanations: Vec<Explanation>,
    pub(crate) edges: Vec<Edge>,
    /// Forward probability of each node; the sum is 1 until nodes without a future are dropped.
    pub(crate) forward: Vec<f64>,
}

impl Layer {
    /// Memory taken, bytes.
    fn memory_bytes(&self) -> usize {
        self.edges.capacity() * size_of::<Edge>()
            + self.explanations.capacity() * size_of::<Explanation>()
            + self.forward.capacity() * size_of::<f64>()
            + size_of::<Layer>()
    }

    /// Whether nothing was played in it: the hypotheses were only made to agree with the squares.
    pub(crate) fn is_repair(&self) -> bool {
        self.presser.is_none()
            && self.explanations.iter().all(|explanation| explanation.plies.is_empty())
    }

    /// The edges, each with its weight under evidence: `factors` are likelihoods of explanations.
    fn weighed(&self, factors: Option<&Vec<f64>>) -> impl Iterator<Item = (&Edge, f64)> {
        let factor = move |edge: &Edge| {
            factors.and_then(|factors| factors.get(edge.explanation as usize)).unwrap_or(&1.0)
        };
        self.edges.iter().map(move |edge| (edge, edge.weight * factor(edge)))
    }

    /// One step of the backward pass: `b` of the nodes before this layer, scaled to the greatest 1,
    /// and the posterior probabilities of its explanations, scaled to the sum 1. `before` are the
    /// forward masses of these nodes, `later` is `b` of the nodes after it, and `factors` are
    /// likelihoods of explanations.
    fn backward(
        &self,
        before: &[f64],
        later: &[f64],
        factors: Option<&Vec<f64>>,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut earlier = vec![0.0; before.len()];
        let mut masses = vec![0.0; self.explanations.len()];
        for (edge, weight) in self.weighed(factors) {
            let from = usize::from(edge.from);
            let onward = weight * later[usize::from(edge.to)];
            earlier[from] += onward;
            masses[edge.explanation as usize] += before[from] * onward;
        }
        normalise(&mut masses);
        let most = earlier.iter().copied().fold(0.0, f64::max);
        if most > 0.0 {
            earlier.iter_mut().for_each(|mass| *mass /= most);
        }
        (earlier, masses)
    }
}

/// Makes the sum 1, unless it is 0. Returns the sum that it was.
fn normalise(masses: &mut [f64]) -> f64 {
    let total: f64 = masses.iter().sum();
    if total > 0.0 {
        masses.iter_mut().for_each(|mass| *mass /= total);
    }
    total
}

/// Maximum memory of all layers, bytes. Beyond this, nodes and edges without a future are dropped, and
/// then the oldest layers are closed for good. Bound: on memory; a match takes less than 1 MB.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of layers kept. Bound: on the work of the end of a match, which has about 150.
const MAX_LAYERS: usize = 2_048;
/// Layers that are closed for good together. Bound: on work, since their last answers take a pass
/// over all layers.
const CLOSED_TOGETHER: usize = 16;
/// Layers between two passes that drop edges without a future. Bound: on work.
const THIN_EVERY: usize = 16;

/// Layers since the beginning of the match, or since the last one that was closed for good.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trellis {
    layers: Vec<Layer>,
    /// Forward probabilities before the first kept layer.
    pub(crate) roots: Vec<f64>,
    /// Number of layers closed for good.
    closed: usize,
    /// Memory taken by the layers, bytes.
    bytes: usize,
    thinned: usize,
}

impl Trellis {
    /// A trellis whose first layer starts from nodes with these probabilities.
    pub(crate) fn new(roots: Vec<f64>) -> Trellis {
        Trellis { roots, ..Trellis::default() }
    }

    /// Index after the last layer.
    pub(crate) fn end(&self) -> usize {
        self.closed + self.layers.len()
    }

    /// Index of the first layer that can still change.
    pub(crate) fn first_open(&self) -> usize {
        self.closed
    }

    /// The layer with this index, unless it has been closed for good.
    pub(crate) fn layer(&self, index: usize) -> Option<&Layer> {
        self.layers.get(index.checked_sub(self.closed)?)
    }

    /// The layers that can still change, oldest first.
    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The forward probabilities of the newest nodes.
    pub(crate) fn forward(&self) -> &[f64] {
        self.layers.last().map_or(&self.roots, |layer| &layer.forward)
    }

    /// Adds a layer. Its edges start at the nodes that were newest.
    pub(crate) fn push(&mut self, layer: Layer) {
        self.bytes += layer.memory_bytes();
        self.layers.push(layer);
        if self.layers.len() - self.thinned >= 2 * THIN_EVERY || self.bytes > MAX_BYTES {
            self.thin();
        }
    }

    /// The index up to which layers must be closed for good to stay within the bounds; none if they
    /// need not be.
    pub(crate) fn full_until(&self) -> Option<usize> {
        let is_full = self.bytes > MAX_BYTES || self.layers.len() > MAX_LAYERS;
        let most = self.layers.len().saturating_sub(1);
        (is_full && most > 0).then(|| self.closed + most.min(CLOSED_TOGETHER))
    }

    /// Closes the layers before this index for good: their answers can no longer change.
    pub(crate) fn close_until(&mut self, until: usize) {
        let count = until.saturating_sub(self.closed).min(self.layers.len().saturating_sub(1));
        for layer in self.layers.drain(..count) {
            self.bytes -= layer.memory_bytes();
            self.roots = layer.forward;
        }
        self.closed += count;
        self.thinned = self.thinned.saturating_sub(count);
    }

    /// Posterior probabilities of the explanations of each layer from index `from` on, which is
    /// open: their sum is 1.
    pub(crate) fn backward(&self, from: usize) -> Vec<Vec<f64>> {
        self.sweep(from - self.closed).1
    }

    /// Posterior probabilities of the nodes before the first layer; none once that layer has been
    /// closed for good.
    pub(crate) fn beginnings(&self) -> Option<Vec<f64>> {
        if self.closed > 0 {
            return None;
        }
        let (later, _) = self.sweep(0);
        let mut masses: Vec<f64> = self.roots.iter().zip(later).map(|(a, b)| a * b).collect();
        normalise(&mut masses);
        Some(masses)
    }

    /// The forward probabilities before the layer at this position.
    fn before(&self, at: usize) -> &[f64] {
        match at.checked_sub(1) {
            Some(previous) => &self.layers[previous].forward,
            None => &self.roots,
        }
    }

    /// The backward pass to the layer at position `first`. Returns `b` of the nodes before that
    /// layer, and the posterior probabilities of the explanations of each layer from there on.
    fn sweep(&self, first: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut later = vec![1.0; self.forward().len()];
        let mut explanations = Vec::with_capacity(self.layers.len() - first);
        for at in (first..self.layers.len()).rev() {
            let (earlier, masses) = self.layers[at].backward(self.before(at), &later, None);
            explanations.push(masses);
            later = earlier;
        }
        explanations.reverse();
        (later, explanations)
    }

    /// Memory taken by the layers, bytes.
    pub(crate) const fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use smallvec::smallvec;

    use super::*;
    use crate::explanation::PressPattern;

    fn layer(explanations: u32, edges: Vec<Edge>, before: &[f64], nodes: usize) -> Layer {
        let mut forward = vec![0.0; nodes];
        for edge in &edges {
            forward[usize::from(edge.to)] += before[usize::from(edge.from)] * edge.weight;
        }
        let total: f64 = forward.iter().sum();
        forward.iter_mut().for_each(|mass| *mass /= total);
        let explanation = Explanation { plies: smallvec![], pattern: PressPattern::Regular };
        Layer {
            board: BoardId::A,
            presser: None,
            t_us: 0,
            explanations: vec![explanation; explanations as usize],
            edges,
            forward,
        }
    }

    const NODES: u16 = 3;
    const CHOICES: u32 = 3;

    /// Edges of a layer: one from every node, so that no path ends, and a few more.
    fn edges() -> impl Strategy<Value = Vec<Edge>> {
        let edge = (0..NODES, 0..NODES, 0..CHOICES, 0.01f64..1.0)
            .prop_map(|(from, to, explanation, weight)| Edge { from, to, explanation, weight });
        (proptest::collection::vec(edge, 0..5), 0..NODES).prop_map(|(mut edges, to)| {
            edges.extend((0..NODES).map(|from| Edge { from, to, explanation: 0, weight: 0.1 }));
            edges
        })
    }

    /// Probability of every explanation of every layer by enumeration of all paths.
    fn enumerated(roots: &[f64], layers: &[Vec<Edge>]) -> Vec<Vec<f64>> {
        let mut samples: Vec<(u16, f64, Vec<u32>)> =
            roots.iter().zip(0..).map(|(&mass, node)| (node, mass, vec![])).collect();
        for edges in layers {
            let mut longer = Vec::new();
            for (node, mass, explanations) in &samples {
                for edge in edges.iter().filter(|edge| edge.from == *node) {
                    let explanations = [explanations.as_slice(), &[edge.explanation]].concat();
                    longer.push((edge.to, mass * edge.weight, explanations));
                }
            }
            samples = longer;
        }
        let total: f64 = samples.iter().map(|(_, mass, _)| mass).sum();
        let mut marginals = vec![vec![0.0; CHOICES as usize]; layers.len()];
        for (_, mass, explanations) in samples {
            for (layer, explanation) in explanations.into_iter().enumerate() {
                marginals[layer][explanation as usize] += mass / total;
            }
        }
        marginals
    }

    fn build(roots: &[f64], all: &[Vec<Edge>]) -> Trellis {
        let mut trellis = Trellis::new(roots.to_vec());
        for edges in all {
            let next = layer(CHOICES, edges.clone(), trellis.forward(), usize::from(NODES));
            trellis.push(next);
        }
        trellis
    }

    proptest! {
        #[test]
        fn forward_and_backward_agree_with_listing_all_paths(
            all in proptest::collection::vec(edges(), 1..5)
        ) {
            let roots = [0.5, 0.3, 0.2];
            let expected = enumerated(&roots, &all);
            let mut trellis = build(&roots, &all);
            trellis.thin();
            let backward = trellis.backward(0);
            for (layer, masses) in expected.iter().enumerate() {
                for (a, b) in masses.iter().zip(&backward[layer]) {
                    prop_assert!((a - b).abs() < 1e-9, "layer {layer}: {masses:?} {backward:?}");
                }
            }
        }

        #[test]
        fn beginnings_are_as_likely_as_the_paths_that_begin_there(
            all in proptest::collection::vec(edges(), 1..5)
        ) {
            let roots = [0.5, 0.3, 0.2];
            // A layer before the first, in which each explanation stands for one node.
            let to_itself: Vec<Edge> =
                (0..NODES).map(|node| Edge { from: node, to: node, explanation: node.into(), weight: 1.0 }).collect();
            let longer: Vec<Vec<Edge>> = [vec![to_itself], all.clone()].concat();
            let expected = &enumerated(&roots, &longer)[0];
            let found = build(&roots, &all).beginnings().expect("an open layer");
            for (a, b) in expected.iter().zip(found) {
                prop_assert!((a - b).abs() < 1e-9, "{expected:?} {b}");
            }
        }

        #[test]
        fn closing_the_oldest_layer_changes_nothing_for_the_others(
            all in proptest::collection::vec(edges(), 2..5)
        ) {
            let mut trellis = build(&[0.5, 0.3, 0.2], &all);
            let before = trellis.backward(1);
            trellis.close_until(1);
            let after = trellis.backward(1);
            prop_assert_eq!(trellis.first_open(), 1);
            prop_assert_eq!(before, after);
        }
    }
}
