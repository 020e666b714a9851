//! A detector's result, before the register decides whether to report it; its words, and what nearly every detector names.

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

    /// Player concerned.
    pub(crate) fn by(self, side: impl Into<Option<Color>>) -> Finding {
        Finding { side: side.into(), ..self }
    }

    /// Number in the segment of the ply concerned.
    pub(crate) fn at(self, slot: impl Into<Option<usize>>) -> Finding {
        Finding { slot: slot.into(), ..self }
    }
}

/// Plies and players in words, for people who read evidence.
pub(crate) mod words {
    use rules::{Color, Ply, Role, Square};

    /// `White` or `Black`.
    pub(crate) fn side(color: Color) -> &'static str {
        color.fold_wb("White", "Black")
    }

    /// `b8, g8`.
    pub(crate) fn list(squares: impl IntoIterator<Item = Square>) -> String {
        let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
        names.join(", ")
    }

    /// `g1 to f3`, or `a knight dropped on f3`.
    pub(crate) fn ply(ply: Ply) -> String {
        match ply {
            Ply::Move { from, to, .. } => format!("{from} to {to}"),
            Ply::Drop { role, to } => format!("a {} dropped on {to}", name(role)),
        }
    }

    /// The role in lower case.
    pub(crate) const fn name(role: Role) -> &'static str {
        match role {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        }
    }

    /// A probability as whole percent, never quite certain unless it is.
    pub(crate) fn percent(p: f64) -> String {
        if p >= 1.0 { "100 %".to_owned() } else { format!("{:.0} %", (p * 100.0).clamp(1.0, 99.0)) }
    }

    /// Microseconds as seconds with one decimal.
    pub(crate) fn seconds(us: u64) -> String {
        format!("{}.{}", us / 1_000_000, us % 1_000_000 / 100_000)
    }

    /// Milliseconds as a clock shows them: `5:00`.
    pub(crate) fn minutes(ms: i64) -> String {
        let s = ms.max(0) / 1_000;
        format!("{}:{:02}", s / 60, s % 60)
    }
}

/// Words that nearly every detector needs: players and boards, the belief about a segment, and a finding in words.
pub(crate) mod prelude {
    pub(crate) use rules::{BoardId, Color};

    pub(crate) use super::{Finding, words};
    pub(crate) use crate::{
        anomaly::segments::context::DetectorContext,
        answers::marginals::{PlyEstimate, SegmentEstimate},
        report::AnomalyCode,
    };
}
