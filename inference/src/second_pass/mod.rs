//! Following a match once more when it is over, led by what is known by then. That takes as many steps as the match had segments, and no
//! more.

mod low_evidence;

use crate::{beam::Beam, trellis::Backward};

/// The logarithm of how much likelier a path must make the readings to be clearly better than another:
/// either number is an estimate, since hypotheses that go on stand for others.
const CLEARLY_BETTER: f64 = 1.0;
/// The same where segments were [doubted](low_evidence): what was read right after them is explained there and in the segment that it
/// belongs to, which makes the second path seem less likely than it is.
const BETTER_THAN_DOUBTED: f64 = 5.0;

/// Follows the match once more, led by the probabilities of all choices, `later`. Segments that led to surprises are explained more
/// thoroughly. Says whether the second run is the one that is kept.
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
