//! The callers of the detectors: at each reading, at each closed segment, and whenever the belief
//! about one changes.

pub(crate) mod clock;
pub(crate) mod hands;
