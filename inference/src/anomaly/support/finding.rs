//! What an anomaly function found, before anybody decides whether to say it.

use rules::Color;

use crate::report::AnomalyCode;

/// What an anomaly function found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: AnomalyCode,
    pub(crate) side: Option<Color>,
    pub(crate) t_us: u64,
    pub(crate) confidence: f64,
    /// Which ply of the segment, counted from 0.
    pub(crate) slot: Option<usize>,
    pub(crate) reason: Option<&'static str>,
    pub(crate) evidence: String,
}
