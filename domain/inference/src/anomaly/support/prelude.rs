//! What nearly every detector names: players and boards, the belief about a segment, and a finding in words.

pub(crate) use rules::{BoardId, Color};

pub(crate) use super::{context::DetectorContext, finding::Finding, words};
pub(crate) use crate::{
    answers::marginals::{PlyEstimate, SegmentEstimate},
    report::AnomalyCode,
};
