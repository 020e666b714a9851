//! `<match>.truth.jsonl`: what happened, as only a simulation or a video can know it.

use rules::{BoardId, Color, Ply};
use serde::{Deserialize, Serialize};

use super::text;

/// One line of a truth file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TruthLine {
    /// A ply that was made.
    Ply(TruthPly),
    /// Another incident.
    Anomaly(TruthAnomaly),
}

/// A ply that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthPly {
    /// 1 for the match's first ply, counted over both boards in order of completion.
    pub n: u32,
    /// The board.
    pub board: BoardId,
    /// The player.
    #[serde(with = "text::Side")]
    pub side: Color,
    /// The move or drop.
    pub uci: Ply,
    /// Completion, microseconds since the trace began.
    pub t_us: u64,
    /// Whether it obeyed the rules.
    pub legal: bool,
}

/// An incident beside the plies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthAnomaly {
    /// Anomaly code, for example `touch-move`.
    pub code: String,
    /// Time, microseconds since the trace began.
    pub t_us: u64,
    /// The board.
    pub board: BoardId,
    /// The player concerned.
    #[serde(with = "text::optional_side", default)]
    pub side: Option<Color>,
}
