//! Possible play in a segment: candidates, sequences of them, and the transitions they make.

pub(crate) mod candidates;
pub(crate) mod closed_segment;
pub(crate) mod explain;
pub(crate) mod sequences;
pub(crate) mod slip;
pub(crate) mod split_points;
pub(crate) mod transitions;
