//! Calls the detectors that need only the plies and presses of one closed segment.

use crate::{
    anomaly::{
        double_press, illegal_move,
        support::{evidence::PressContext, finding::Finding, surroundings::Surroundings},
    },
    answers::marginals::SegmentEstimate,
    trellis::Layer,
};

/// Findings from the plies and presses of one closed segment, however unlikely. The
/// [`HandMonitor`](super::hands::HandMonitor) makes the findings about hands.
pub(crate) fn of_segment(
    layer: &Layer,
    answer: &SegmentEstimate,
    evidence: &PressContext,
    surroundings: Surroundings,
) -> Vec<Finding> {
    let mut findings = illegal_move::illegal_moves(answer, surroundings);
    findings.extend(double_press::double_press(layer, answer, evidence));
    findings
}
