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

impl Finding {
    /// A finding about no player in particular.
    pub(crate) fn new(code: AnomalyCode, t_us: u64, confidence: f64, evidence: String) -> Finding {
        Finding { code, side: None, t_us, confidence, slot: None, reason: None, evidence }
    }

    /// It concerns this player.
    pub(crate) fn by(self, side: impl Into<Option<Color>>) -> Finding {
        Finding { side: side.into(), ..self }
    }

    /// It concerns the ply with this number in the segment.
    pub(crate) fn at(self, slot: impl Into<Option<usize>>) -> Finding {
        Finding { slot: slot.into(), ..self }
    }
}
