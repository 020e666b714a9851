//! Calls the detectors that need only the plies and presses of one closed segment.

use crate::{
    anomaly::{
        double_press, illegal_move,
        support::{
            evidence::PressContext, finding::Finding, illegal_history::IllegalHistory,
            surroundings::Surroundings,
        },
    },
    answers::marginals::SegmentEstimate,
    trellis::Layer,
};

/// Findings from the plies and presses of one closed segment, however unlikely; `at` is its place in the trellis. The
/// [`HandMonitor`](super::hands::HandMonitor) makes the findings about hands.
pub(crate) fn of_segment(
    (at, layer): (usize, &Layer),
    answer: &SegmentEstimate,
    evidence: &PressContext,
    surroundings: Surroundings,
    history: &IllegalHistory,
) -> Vec<Finding> {
    let mut findings =
        illegal_move::illegal_moves((layer.board, at), answer, surroundings, history);
    findings.extend(double_press::double_press(layer, answer, evidence));
    findings
}
