//! Findings of detectors, in words, and the register of the reported ones.

pub(crate) mod finding;
pub(crate) mod register;
