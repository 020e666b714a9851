//! The second pass over a finished match, which explains anew what led to surprises.
//!
//! ```text
//! surprise(s) if log p(s) < SURPRISING
//! keep the first pass if log p(readings | first) > log p(readings | second) + MARGIN, or its work is more than MAX_WORK
//! ```
//!
//! `p(s)` is the probability of a segment, given all before. The last `DOUBTED` segments of the board up to a surprise
//! are explained anew.
//!
//! A press that one ply explains well is explained at once, without a search for alternatives. That keeps pace with the
//! match and is nearly always right. Where it is wrong, later segments fit badly: a piece moves as it cannot, or stands
//! where none should. At the end of the match such a surprise is cheap to see, and the few segments before it are cheap
//! to explain with everything that is too expensive at every press.

use std::collections::BTreeSet;

use crate::beam::{Beam, input_log::InputStep};

/// A segment is a surprise if the natural logarithm of its probability is below this: less likely than a forgotten
/// press, and about as likely as an illegal ply together with another rare event. Assumed.
const SURPRISING: f64 = -16.0;
/// Number of segments of the board that are explained anew, the surprise included. A piece that stands wrongly mostly
/// shows within some plies. Bound: on work.
const DOUBTED: usize = 8;
/// Most work of the second pass, nodes and transitions of its searches. A match whose second pass takes more keeps the
/// result of the first. Bound: on work, about 0.1 s. Measured: of 556 matches with usual hands, the one that takes most
/// takes 188,125.
const MAX_WORK: usize = 200_000;
/// The margin, as a natural logarithm. The readings right after a segment that is explained anew are explained there
/// and in the segment that they belong to, so the second pass seems less likely than it is. Assumed.
const MARGIN: f64 = 5.0;

/// Follows the match once more if there was a surprise in it. Segments that led to surprises are explained at exhaustive
/// effort.
pub(crate) fn follow_again(beam: &mut Beam) {
    if !beam.is_recorded() {
        return;
    }
    let log = beam.input_log_mut();
    let doubted = leading_to_surprises(log.steps());
    if !doubted.is_empty() {
        log.doubt(&doubted);
        beam.rerun(MARGIN, MAX_WORK);
    }
}

/// The indices of the segments that are to be explained anew, ascending.
fn leading_to_surprises(steps: &[InputStep]) -> Vec<usize> {
    let segment = |at: usize| match &steps[at] {
        InputStep::Closed(closed) => Some((closed.closing.board, closed.log_evidence)),
        InputStep::Reanchored { .. } | InputStep::PutUp(..) => None,
    };
    let mut doubted = BTreeSet::new();
    for at in 0..steps.len() {
        if let Some((board, log_evidence)) = segment(at)
            && log_evidence < SURPRISING
        {
            let of_board = |&before: &usize| segment(before).is_some_and(|(of, _)| of == board);
            doubted.extend((0..=at).rev().filter(of_board).take(DOUBTED));
        }
    }
    doubted.into_iter().collect()
}
