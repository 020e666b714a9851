//! The hypotheses after a segment: what one step of the filter makes.

use crate::{
    explanation::Explanation,
    proposal::{closed_segment::SearchEffort, transitions::Transitions},
    state::joint_state::JointState,
    trellis::Edge,
};

/// The hypotheses after a segment and the transitions to them.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) effort: SearchEffort,
    pub(crate) states: Vec<JointState>,
    pub(crate) forward: Vec<f64>,
    /// What the states are ranked by, if a guide leads them.
    pub(crate) ranks: Vec<f64>,
    /// The part of the evidence that is left after cutting.
    pub(crate) kept: f64,
    pub(crate) explanations: Vec<Explanation>,
    pub(crate) edges: Vec<Edge>,
    /// All transitions that were found.
    pub(crate) transitions: Transitions,
    /// Probability of the segment, given all before.
    pub(crate) evidence: f64,
    /// The part of it in which everything had settled.
    pub(crate) settled: f64,
}

impl Expansion {
    /// Logarithm of the evidence that is left after cutting, which may have vanished.
    pub(crate) fn log_kept(&self) -> f64 {
        libm::log(self.kept.max(f64::MIN_POSITIVE))
    }
}
