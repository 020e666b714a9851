//! The second pass over a finished match, with ranks biased by the posterior of the first pass.
//!
//! ```text
//! keep the first pass if log p(readings | first) > log p(readings | second) + margin
//! ```
//!
//! The beam of the first pass was cut by the readings so far. The second pass knows the later readings as well, and
//! keeps the hypotheses that they speak for. It takes as many steps as the match had segments, and no more.

mod low_evidence;

use crate::{beam::Beam, trellis::Backward};

/// The margin, as a natural logarithm, if no segment was explained anew. Both evidences are estimates, since hypotheses
/// that go on stand for others. Assumed.
const CLEARLY_BETTER: f64 = 1.0;
/// The margin if segments were [explained anew](low_evidence). The readings right after such a segment are explained
/// there and in the segment that they belong to, so the second pass seems less likely than it is. Assumed.
const BETTER_THAN_DOUBTED: f64 = 5.0;

/// Follows the match once more, with ranks biased by the probabilities of all explanations, `later`. Segments that led
/// to surprises are explained at exhaustive effort. Returns whether the second pass is kept.
pub(crate) fn follow_again(beam: &mut Beam, later: &Backward) -> bool {
    if !beam.is_recorded() {
        return false;
    }
    let log = beam.input_log_mut();
    let doubted = low_evidence::what_led_to_surprises(&log.evidence());
    log.doubt(&doubted);
    let margin = if doubted.is_empty() { CLEARLY_BETTER } else { BETTER_THAN_DOUBTED };
    beam.rerun(later, margin)
}
