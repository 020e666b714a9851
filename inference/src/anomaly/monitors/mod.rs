//! Who calls the detectors: at each reading, at each closed segment, and whenever what is believed about one changes.

pub(crate) mod clock;
pub(crate) mod hands;
pub(crate) mod segment;
