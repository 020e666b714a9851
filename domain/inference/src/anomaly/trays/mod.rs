//! Which arrival in a tray, and which drop out of it, belongs to which capture.

mod assignment;
pub(crate) mod matching;
