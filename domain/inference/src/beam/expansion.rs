//! Joint hypotheses after a segment, before the beam is cut: equal results are one, and every edge
//! to them is kept.
//!
//! ```text
//! p(h')    = SUM over edges to h' of what reaches it
//! evidence = SUM over h' of p(h')
//! ```

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    beam::{
        choice_weights::Proposal,
        resample::{Survivor, by_mass},
        set_ups::select_from_each,
    },
    explanation::Explanation,
    proposal::closed_segment::{ClosedSegment, SearchEffort},
    state::{joint_state::JointState, position_table::PositionTable},
    trellis::{Edge, Layer},
};

/// The hypotheses after a segment and the transitions to them. They are apart from the filter
/// until they are adopted: if waiting for later readings is better, they are thrown away.
#[derive(Debug)]
pub(crate) struct Expansion {
    pub(crate) effort: SearchEffort,
    pub(crate) states: Vec<JointState>,
    /// Number of each state's set-up.
    pub(crate) set_ups: Vec<u8>,
    pub(crate) layer: Layer,
    /// Natural logarithm of the evidence that survived the cut, with a lower bound because that may be 0.
    pub(crate) log_kept: f64,
    /// Probability of the segment, given all before.
    pub(crate) evidence: f64,
    /// The part of the evidence whose transitions are settled.
    pub(crate) settled: f64,
}

/// Joint hypotheses after the segment, before the beam is cut.
#[derive(Default)]
pub(crate) struct Combined {
    nodes: FxHashMap<JointState, u32>,
    pub(super) states: Vec<JointState>,
    pub(super) masses: Vec<f64>,
    /// Number of each one's set-up, and the greatest mass that came from there.
    set_ups: Vec<(u8, f64)>,
    /// The edges to them, each with the number of its hypothesis.
    pub(super) edges: Vec<(u32, Edge)>,
    pub(super) best: f64,
    pub(super) evidence: f64,
    settled: f64,
}

/// Hypotheses that there is room for at first. Bound: on memory, not on their number.
const ROOM: usize = 2_048;

impl Combined {
    /// An empty expansion.
    pub(super) fn new() -> Combined {
        let nodes = FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher);
        Combined { nodes, ..Combined::default() }
    }

    /// Adds an edge to `state` that `reached` of the probability takes. It comes from a hypothesis
    /// with this set-up.
    pub(super) fn add(
        &mut self,
        edge: Edge,
        state: JointState,
        settled: bool,
        reached: f64,
        (set_up, factor): (u8, f64),
    ) {
        let next = self.states.len() as u32;
        let node = *self.nodes.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.masses.push(0.0);
            self.set_ups.push((set_up, 0.0));
            next
        });
        self.masses[node as usize] += reached;
        let origin = &mut self.set_ups[node as usize];
        if reached > origin.1 {
            *origin = (set_up, reached);
        }
        self.best = self.best.max(reached * factor);
        self.evidence += reached;
        if settled {
            self.settled += reached;
        }
        self.edges.push((node, edge));
    }

    /// Cuts to at most `width` hypotheses, and keeps the edges to them.
    pub(crate) fn prune(
        self,
        width: usize,
        closed: &ClosedSegment,
        found: &Proposal,
        positions: &PositionTable,
    ) -> Expansion {
        let ClosedSegment { board, presser, t_us, .. } = *closed;
        let set_ups: Vec<u8> = self.set_ups.iter().map(|origin| origin.0).collect();
        // Equal for hypotheses whose pieces and kings stand on the same squares of both boards.
        let layout =
            |node: u32| self.states[node as usize].boards.map(|id| positions.get(id).layout());
        let mut survivors = select_from_each(&self.masses, &set_ups, width, layout);
        let mass = |survivor: &Survivor| self.masses[survivor.node as usize] * survivor.factor;
        survivors.sort_by(|a, b| by_mass((a.node, mass(a)), (b.node, mass(b))));
        let total: f64 = survivors.iter().map(mass).sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut places = vec![None; self.states.len()];
        for (place, survivor) in survivors.iter().enumerate() {
            places[survivor.node as usize] = Some((place as u16, survivor.factor));
        }
        let known = &found.transitions.explanations;
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut numbers: Vec<Option<u32>> = vec![None; known.len()];
        let mut explanations: Vec<Explanation> = Vec::new();
        for &(node, edge) in &self.edges {
            if let Some((to, factor)) = places[node as usize] {
                let number = numbers[edge.explanation as usize].get_or_insert_with(|| {
                    explanations.push(known[edge.explanation as usize].clone());
                    explanations.len() as u32 - 1
                });
                let weight = edge.weight * factor;
                edges.push(Edge { to, explanation: *number, weight, ..edge });
            }
        }
        edges.shrink_to_fit();
        let forward = survivors.iter().map(|survivor| mass(survivor) * scale).collect();
        Expansion {
            effort: found.effort,
            log_kept: libm::log(total.max(f64::MIN_POSITIVE)),
            set_ups: survivors.iter().map(|survivor| set_ups[survivor.node as usize]).collect(),
            states: survivors.iter().map(|survivor| self.states[survivor.node as usize]).collect(),
            layer: Layer { board, presser, t_us, explanations, edges, forward },
            evidence: self.evidence,
            settled: self.settled,
        }
    }
}
