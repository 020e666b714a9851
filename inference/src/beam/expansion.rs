//! The hypotheses after a segment: what one step of the filter makes.

use crate::{
    explanation::Choice,
    proposal::{closed_segment::Breadth, transitions::Ways},
    state::joint_state::JointState,
    trellis::Edge,
};

/// The hypotheses after a segment and the ways to them.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) breadth: Breadth,
    pub(crate) states: Vec<JointState>,
    pub(crate) forward: Vec<f64>,
    /// What the states are ranked by, if a guide leads them.
    pub(crate) ranks: Vec<f64>,
    /// The part of the evidence that is left after cutting.
    pub(crate) kept: f64,
    pub(crate) choices: Vec<Choice>,
    pub(crate) edges: Vec<Edge>,
    /// All ways that were found.
    pub(crate) ways: Ways,
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
