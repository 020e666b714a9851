//! One change of one square: what segments, observations and detectors are made of.

use rules::Square;

/// A square that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SquareEvent {
    pub(crate) t_us: u64,
    pub(crate) square: Square,
    pub(crate) occupied: bool,
}
