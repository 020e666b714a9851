//! From posteriors of explanations to the plies that people read.

pub(crate) mod ledger;
pub(crate) mod marginals;
pub(crate) mod same_ply;
