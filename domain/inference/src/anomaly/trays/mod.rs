//! Assignment of arrivals in a tray, and of drops out of it, to captures.

mod assignment;
pub(crate) mod matching;
