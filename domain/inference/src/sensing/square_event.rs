//! One change of one square. Segments, observations and detectors are lists of these changes.

use rules::Square;

/// A square that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareEvent {
    pub(crate) t_us: u64,
    pub(crate) square: Square,
    pub(crate) occupied: bool,
}
