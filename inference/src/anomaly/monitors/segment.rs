//! What the plies and presses of one closed segment show by themselves.

use crate::{
    anomaly::{
        double_press, illegal_move, press_without_move,
        support::{evidence::PressContext, finding::Finding, surroundings::Surroundings},
    },
    answers::marginals::SegmentEstimate,
    trellis::Layer,
};

/// What the plies and presses of one closed segment show, however unlikely; what the hands show, the
/// [`HandMonitor`](super::hands) says.
pub(crate) fn of_segment(
    layer: &Layer,
    answer: &SegmentEstimate,
    evidence: &PressContext,
    surroundings: Surroundings,
) -> Vec<Finding> {
    let mut findings = illegal_move::illegal_moves(answer, surroundings);
    findings.extend(press_without_move::press_without_move(layer, answer, evidence));
    findings.extend(double_press::double_press(layer, answer, evidence));
    findings
}
