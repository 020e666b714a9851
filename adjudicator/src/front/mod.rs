//! Audiences: who sees the hall how much later than it happened.

pub mod audience;
pub(crate) mod rendered;
