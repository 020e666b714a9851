//! Likelihood of the squares of a segment if a ply was made.

pub(crate) mod footprint;
pub(crate) mod knock_over;
pub(crate) mod likelihood;
pub(crate) mod summary;
