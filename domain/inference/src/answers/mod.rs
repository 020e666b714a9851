//! From posteriors of explanations to the plies that people read.

pub(crate) mod marginals;
pub(crate) mod published_plies;
pub(crate) mod same_ply;
