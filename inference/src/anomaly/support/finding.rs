//! A detector's result, before the register decides whether to report it.

use rules::Color;

use crate::report::AnomalyCode;

/// A detector's result: `t_us` in microseconds since the trace began, `confidence` from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: AnomalyCode,
    pub(crate) side: Option<Color>,
    pub(crate) t_us: u64,
    pub(crate) confidence: f64,
    /// Number of the ply in the segment, from 0.
    pub(crate) slot: Option<usize>,
    pub(crate) reason: Option<&'static str>,
    pub(crate) evidence: String,
}
