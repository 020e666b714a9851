//! Audiences: who sees the hall how much later than it happened, and what their streams are sent.

pub mod audience;
pub(crate) mod fan_out;
pub(crate) mod rendered;
pub(crate) mod round;
pub(crate) mod runtime;
pub(crate) mod written;
