//! What detectors find, in words, and the register of what was reported of it.

pub(crate) mod finding;
pub(crate) mod register;
