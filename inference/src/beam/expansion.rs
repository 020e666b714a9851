//! The hypotheses after a segment: the result of one step of the filter.
//!
//! A step may be thrown away, if waiting for later readings is better. So its result stands apart from the filter until
//! it is adopted.

use crate::{
    explanation::Explanation, proposal::closed_segment::SearchEffort,
    state::joint_state::JointState, trellis::Edge,
};

/// The hypotheses after a segment and the transitions to them.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) effort: SearchEffort,
    pub(crate) states: Vec<JointState>,
    /// Of each state the number of its set-up.
    pub(crate) set_ups: Vec<u8>,
    pub(crate) forward: Vec<f64>,
    /// The part of the evidence that survived the cut.
    pub(crate) kept: f64,
    pub(crate) explanations: Vec<Explanation>,
    pub(crate) edges: Vec<Edge>,
    /// Probability of the segment, given all before.
    pub(crate) evidence: f64,
    /// The part of the evidence whose transitions are settled.
    pub(crate) settled: f64,
}

impl Expansion {
    /// Natural logarithm of the evidence that survived the cut, with a lower bound because that may be 0.
    pub(crate) fn log_kept(&self) -> f64 {
        libm::log(self.kept.max(f64::MIN_POSITIVE))
    }
}
