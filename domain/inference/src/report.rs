//! The types of the tracker's reports while a match is played.
//!
//! Reports carry stable identifiers. A later report with the same identifier replaces the earlier
//! one, and a retraction takes it back. The latest report of every identifier, in the order of
//! `(t_us, id)`, is the tracker's present belief.

use readings::Alternative;
use rules::{BoardId, Color, Ply};

/// Identifier of a ply within its match, kept through all revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlyId(pub u32);

/// Identifier of an anomaly within its match, kept through all revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnomalyId(pub u32);

/// The part of the match that an answer takes into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The readings until shortly after the ply.
    Live,
    /// At least [`TrackerConfig::lag`](crate::TrackerConfig) later plies of both boards.
    Lagged,
    /// The whole match.
    Final,
}

/// A ply, as answered at some stage.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyReport {
    /// The identifier of the ply.
    pub id: PlyId,
    /// 0 for the first report of this ply, one more for each report that replaces it.
    pub revision: u32,
    /// The part of the match that was known.
    pub stage: Stage,
    /// The board of the ply.
    pub board: BoardId,
    /// The player who made it.
    pub side: Color,
    /// Time of its completion, microseconds since the match's trace began.
    pub t_us: u64,
    /// The likeliest move or drop. In a final answer it may be the ply of the likeliest record instead.
    pub ply: Ply,
    /// Its posterior probability, 0 to 1.
    pub p: f64,
    /// Whether the rules allow it in at least half of the mass that has it.
    pub legal: bool,
    /// The other candidates, likeliest first.
    pub alternatives: Vec<Alternative>,
    /// The mover's remaining time after the ply, milliseconds.
    pub clock_ms: Option<i64>,
    /// Time at which the first piece of the ply was touched, microseconds since the trace began. This is
    /// when the moved or the captured piece left its square, whichever was first. For a drop it is
    /// when the piece left the tray. None if no sensor saw it.
    pub touched_us: Option<u64>,
    /// Time at which the last piece of the ply was let go of, microseconds since the trace began: when it
    /// came to stand. None if no sensor saw it.
    pub released_us: Option<u64>,
}

/// The kind of an anomaly: a finding of the rulebooks, down to [`SensorFault`](AnomalyCode::SensorFault).
pub use rules::rulebook::Finding as AnomalyCode;

/// An anomaly that a tournament director may want to know about. It is evidence and no ruling.
#[derive(Clone, Debug, PartialEq)]
pub struct AnomalyReport {
    /// The identifier of the anomaly.
    pub id: AnomalyId,
    /// 0 for the first report of this anomaly, one more for each report that replaces it.
    pub revision: u32,
    /// The kind of anomaly.
    pub code: AnomalyCode,
    /// Time of the event, microseconds since the match's trace began.
    pub t_us: u64,
    /// The board.
    pub board: BoardId,
    /// The player concerned.
    pub side: Option<Color>,
    /// Posterior probability that it happened, 0 to 1.
    pub confidence: f64,
    /// The rule that it serves, as `<rulebook> <number>`. None if the match's rulebook is not known here.
    pub rule: Option<String>,
    /// The ply concerned.
    pub ply: Option<PlyId>,
    /// The reason, if the code alone does not give it (`illegal-move`).
    pub reason: Option<String>,
    /// The evidence, in words.
    pub evidence: String,
}

/// One output of the tracker.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackerOutput {
    /// A ply, new or revised.
    Ply(PlyReport),
    /// An earlier report of a ply was wrong: there was none.
    PlyRetracted {
        /// The ply.
        id: PlyId,
        /// Time at which this was found, microseconds since the match's trace began.
        t_us: u64,
    },
    /// An anomaly, new or revised.
    Anomaly(AnomalyReport),
    /// An earlier report of an anomaly was wrong: there was none.
    AnomalyRetracted {
        /// The anomaly.
        id: AnomalyId,
        /// Time at which this was found, microseconds since the match's trace began.
        t_us: u64,
    },
    /// No sequence of plies explains the occupied squares of a board. The hypotheses were made to
    /// agree with them, and tracking goes on from there.
    Reanchored {
        /// The board.
        board: BoardId,
        /// Time of the loss, microseconds since the match's trace began.
        t_us: u64,
        /// Number of squares that were changed in the likeliest hypothesis.
        squares: u32,
    },
    /// A position that a director ordered to be reinstated is complete, and tracking goes on from there.
    PutUp {
        /// The board.
        board: BoardId,
        /// The time of the [fact](crate::facts::StandsFact) that asserts it.
        of_us: u64,
        /// Time of its completion, microseconds since the match's trace began.
        t_us: u64,
        /// Squares that differed from the position then.
        differing: rules::Bitboard,
    },
}
