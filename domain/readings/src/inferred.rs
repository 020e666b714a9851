//! `<match>.inferred.jsonl`: what the tracker believes, with its probabilities.

use rules::{BoardId, Color, Ply};
use serde::{Deserialize, Serialize};

use super::text;

/// One line of an inferred file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum InferredLine {
    /// A ply.
    Ply(InferredPly),
    /// An anomaly.
    Anomaly(InferredAnomaly),
    /// A ply that a person could settle.
    Question(Question),
}

/// A candidate ply and its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The move or drop.
    pub uci: Ply,
    /// Posterior probability, 0 to 1.
    pub p: f64,
}

/// The answer as first published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveAnswer {
    /// The move or drop.
    pub uci: Ply,
    /// Its probability then.
    pub p: f64,
    /// Time of publishing, microseconds since the trace began.
    pub t_us: u64,
}

/// A ply as inferred after the whole match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferredPly {
    /// 1 for the match's first ply, counted over both boards in order of completion.
    pub n: u32,
    /// The board.
    pub board: BoardId,
    /// The player.
    #[serde(with = "text::Side")]
    pub side: Color,
    /// Completion, microseconds since the trace began.
    pub t_us: u64,
    /// The likeliest move or drop on the likeliest squares.
    pub uci: Ply,
    /// Its probability, type and squares together.
    pub p: f64,
    /// Whether it obeys the rules in the likeliest position before it.
    pub legal: bool,
    /// The others, likeliest first.
    #[serde(default)]
    pub alternatives: Vec<Alternative>,
    /// First published answer; `None` for a ply that was only found afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveAnswer>,
    /// Eight plies (over both boards) later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag8: Option<Alternative>,
}

/// An anomaly: evidence, never a ruling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferredAnomaly {
    /// Anomaly code, for example `illegal-move`.
    pub code: String,
    /// Time of the incident, microseconds since the trace began.
    pub t_us: u64,
    /// The board.
    pub board: BoardId,
    /// The player concerned.
    #[serde(with = "text::optional_side", default)]
    pub side: Option<Color>,
    /// Probability that it happened, 0 to 1.
    pub confidence: f64,
    /// The rule it serves, as `<rulebook> <number>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Number of the ply concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// Reason, where the code alone is not enough (`illegal-move`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Evidence, in words for a tournament director.
    pub evidence: String,
    /// Time of the first report, microseconds since the trace began.
    pub first_t_us: u64,
    /// Whether later evidence took it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
}

/// A ply whose answer would settle much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Number of the ply.
    pub ply: u32,
    /// Possible plies, likeliest first.
    pub candidates: Vec<Alternative>,
}
