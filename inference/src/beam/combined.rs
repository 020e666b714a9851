//! Joint hypotheses after a segment, before the beam is cut: equal results are one, and every edge to them is kept.
//!
//! ```text
//! p(h')    = SUM over edges to h' of what reaches it
//! evidence = SUM over h' of p(h')
//! ```

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{
    beam::{
        expansion::Expansion,
        resample::{Survivor, by_mass},
        set_ups::select_from_each,
    },
    explanation::Explanation,
    proposal::{closed_segment::SearchEffort, transitions::Transitions},
    state::{joint_state::JointState, position_table::PositionTable},
    trellis::Edge,
};

/// Joint hypotheses after the segment, before the beam is cut.
#[derive(Default)]
pub(crate) struct Combined {
    nodes: FxHashMap<JointState, u32>,
    pub(super) states: Vec<JointState>,
    pub(super) masses: Vec<f64>,
    /// Of each the number of its set-up, and the greatest mass that came from there.
    set_ups: Vec<(u8, f64)>,
    /// From, to, explanation, weight.
    pub(super) edges: Vec<(u16, u32, u32, f64)>,
    pub(super) best: f64,
    pub(super) evidence: f64,
    settled: f64,
}

impl Combined {
    /// Nothing yet, with room for so many hypotheses.
    pub(super) fn with_room(count: usize) -> Combined {
        Combined {
            nodes: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            states: Vec::with_capacity(count),
            masses: Vec::with_capacity(count),
            set_ups: Vec::with_capacity(count),
            edges: Vec::with_capacity(count),
            ..Combined::default()
        }
    }

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
        self.edges.push((edge.from, node, edge.explanation, edge.weight));
    }

    /// Cuts to at most `beam` hypotheses, and keeps the edges to them.
    pub(crate) fn prune(
        self,
        beam: usize,
        positions: &PositionTable,
        transitions: &Transitions,
    ) -> Expansion {
        let set_ups: Vec<u8> = self.set_ups.iter().map(|origin| origin.0).collect();
        let mut survivors =
            select_from_each(&self.masses, &set_ups, beam, |node| self.layout(node, positions));
        let mass = |survivor: &Survivor| self.masses[survivor.node as usize] * survivor.factor;
        survivors.sort_by(|a, b| by_mass((a.node, mass(a)), (b.node, mass(b))));
        let total: f64 = survivors.iter().map(mass).sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        let mut places = vec![None; self.states.len()];
        for (place, survivor) in survivors.iter().enumerate() {
            places[survivor.node as usize] = Some((place as u16, survivor.factor));
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut numbers: Vec<Option<u32>> = vec![None; transitions.explanations.len()];
        let mut used = 0;
        for &(from, node, explanation, weight) in &self.edges {
            if let Some((to, factor)) = places[node as usize] {
                let number = numbers[explanation as usize].get_or_insert_with(|| {
                    used += 1;
                    used - 1
                });
                edges.push(Edge { from, to, explanation: *number, weight: weight * factor });
            }
        }
        edges.shrink_to_fit();
        let mut kept: Vec<(u32, Explanation)> = numbers
            .into_iter()
            .zip(&transitions.explanations)
            .filter_map(|(number, explanation)| Some((number?, explanation.clone())))
            .collect();
        kept.sort_unstable_by_key(|&(number, _)| number);
        Expansion {
            effort: SearchEffort::default(),
            kept: total,
            set_ups: survivors.iter().map(|survivor| set_ups[survivor.node as usize]).collect(),
            states: survivors.iter().map(|survivor| self.states[survivor.node as usize]).collect(),
            forward: survivors.iter().map(|survivor| mass(survivor) * scale).collect(),
            explanations: kept.into_iter().map(|(_, explanation)| explanation).collect(),
            edges,
            evidence: self.evidence,
            settled: self.settled,
        }
    }

    /// Equal for hypotheses whose pieces and kings stand on the same squares of both boards.
    fn layout(&self, node: u32, positions: &PositionTable) -> [u16; 2] {
        self.states[node as usize].boards.map(|id| positions.get(id).layout)
    }
}
