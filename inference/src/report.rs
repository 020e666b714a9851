//! What the tracker tells the rest of the world while a match is played.
//!
//! Reports carry stable identifiers: a later report with the same identifier replaces the earlier
//! one, and a retraction takes it back. Whoever keeps the latest report of every identifier, in the
//! order of `(t_us, id)`, has what the tracker believes now.

use readings::Alternative;
use rules::{BoardId, Color, Ply, rulebook::Finding};

/// Identifier of a ply within its match, kept through all revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlyId(pub u32);

/// Identifier of an anomaly within its match, kept through all revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnomalyId(pub u32);

/// How much of the match an answer has taken into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// What was seen until shortly after the ply.
    Live,
    /// At least [`TrackerConfig::lag`](crate::TrackerConfig) later plies of both boards.
    Lagged,
    /// The whole match.
    Final,
}

/// A ply, as believed at some stage.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyReport {
    /// Which ply this report is about.
    pub id: PlyId,
    /// 0 for the first report of this ply, one more for each that replaces it.
    pub revision: u32,
    /// How much of the match was known.
    pub stage: Stage,
    /// The board it was made on.
    pub board: BoardId,
    /// The player who made it.
    pub side: Color,
    /// When it was completed, microseconds since the match's trace began.
    pub t_us: u64,
    /// The likeliest move or drop.
    pub ply: Ply,
    /// Its posterior probability, 0 to 1.
    pub p: f64,
    /// Whether it obeys the rules, in the positions in which it is believed.
    pub legal: bool,
    /// The other candidates, likeliest first.
    pub alternatives: Vec<Alternative>,
    /// The mover's remaining time after the ply, milliseconds.
    pub clock_ms: Option<i64>,
    /// When the first piece of the ply was touched, microseconds since the trace began: its own or the captured one, whichever
    /// left its square first; of a drop, when it was taken out of a tray. None where that was not seen.
    pub touched_us: Option<u64>,
    /// When the last hand let go of a piece of the ply, microseconds since the trace began: when its last piece came to stand. None
    /// where that was not seen.
    pub released_us: Option<u64>,
}

/// The kinds of anomalies this crate reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnomalyCode {
    /// A completed ply that the rules do not allow.
    IllegalMove,
    /// A player's time has run out.
    FlagFallen,
    /// A ply was made and the clock was not pressed after it.
    MissedPress,
    /// The clock was pressed and no ply had been made.
    PressWithoutMove,
    /// The clock was pressed before the ply's pieces stood.
    EarlyPress,
    /// The clock was pressed by the player whose opponent's time ran already.
    DoublePress,
    /// A ply stood before the opponent's was complete.
    OutOfTurn,
    /// One piece was touched and put back, and another was moved.
    TouchMove,
    /// The clock was pressed with another hand than the one that moved.
    ClockHand,
    /// A captured piece was handed over before its capture was complete.
    EarlyPass,
    /// A captured piece did not appear among the pieces that may be dropped.
    HiddenPiece,
    /// Pieces that the ply did not concern were knocked off their squares.
    DisplacedPieces,
    /// The clock was pressed before displaced pieces had been put back.
    PressAfterDisplacing,
    /// The clock was knocked over.
    ClockKnockedOver,
    /// A hand was kept at the clock.
    ClockHover,
    /// The clock was started with another time than the event's.
    ClockSetWrong,
    /// The clock showed a time that cannot have come about by running.
    ClockJump,
    /// The clock runs too fast or too slow.
    ClockDrift,
    /// Neither player has time left.
    BothFlags,
    /// The pieces did not stand as they should when play began.
    SetupWrong,
    /// A board's readings cannot be trusted.
    SensorFault,
}

impl AnomalyCode {
    /// What the rulebooks call it.
    #[must_use]
    pub const fn finding(self) -> Finding {
        match self {
            AnomalyCode::IllegalMove => Finding::IllegalMove,
            AnomalyCode::FlagFallen => Finding::FlagFallen,
            AnomalyCode::MissedPress => Finding::MissedPress,
            AnomalyCode::PressWithoutMove => Finding::PressWithoutMove,
            AnomalyCode::EarlyPress => Finding::EarlyPress,
            AnomalyCode::DoublePress => Finding::DoublePress,
            AnomalyCode::OutOfTurn => Finding::OutOfTurn,
            AnomalyCode::TouchMove => Finding::TouchMove,
            AnomalyCode::ClockHand => Finding::ClockHand,
            AnomalyCode::EarlyPass => Finding::EarlyPass,
            AnomalyCode::HiddenPiece => Finding::HiddenPiece,
            AnomalyCode::DisplacedPieces => Finding::DisplacedPieces,
            AnomalyCode::PressAfterDisplacing => Finding::PressAfterDisplacing,
            AnomalyCode::ClockKnockedOver => Finding::ClockKnockedOver,
            AnomalyCode::ClockHover => Finding::ClockHover,
            AnomalyCode::ClockSetWrong => Finding::ClockSetWrong,
            AnomalyCode::ClockJump => Finding::ClockJump,
            AnomalyCode::ClockDrift => Finding::ClockDrift,
            AnomalyCode::BothFlags => Finding::BothFlags,
            AnomalyCode::SetupWrong => Finding::SetupWrong,
            AnomalyCode::SensorFault => Finding::SensorFault,
        }
    }

    /// The stable name used in files and messages.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.finding().code()
    }
}

impl std::fmt::Display for AnomalyCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}

/// Something beside the plies that a tournament director may want to know. Evidence, no ruling.
#[derive(Clone, Debug, PartialEq)]
pub struct AnomalyReport {
    /// Which anomaly this report is about.
    pub id: AnomalyId,
    /// 0 for the first report of this anomaly, one more for each that replaces it.
    pub revision: u32,
    /// What kind it is.
    pub code: AnomalyCode,
    /// When it happened, microseconds since the match's trace began.
    pub t_us: u64,
    /// The board.
    pub board: BoardId,
    /// The player concerned.
    pub side: Option<Color>,
    /// Posterior probability that it happened, 0 to 1.
    pub confidence: f64,
    /// The rule it serves, as `<rulebook> <number>`, where the match's rulebook is known here.
    pub rule: Option<String>,
    /// The ply concerned.
    pub ply: Option<PlyId>,
    /// Why, where the code alone does not say (`illegal-move`).
    pub reason: Option<String>,
    /// What was seen, in words.
    pub evidence: String,
}

/// One thing the tracker has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackerOutput {
    /// A ply, new or revised.
    Ply(PlyReport),
    /// A ply reported earlier was none.
    PlyRetracted {
        /// The ply.
        id: PlyId,
        /// When this was found, microseconds since the match's trace began.
        t_us: u64,
    },
    /// An anomaly, new or revised.
    Anomaly(AnomalyReport),
    /// An anomaly reported earlier was none.
    AnomalyRetracted {
        /// The anomaly.
        id: AnomalyId,
        /// When this was found, microseconds since the match's trace began.
        t_us: u64,
    },
    /// No sequence of plies explains what stands on a board; the hypotheses were made to agree with
    /// the occupied squares, and tracking goes on from there.
    Reanchored {
        /// The board.
        board: BoardId,
        /// When, microseconds since the match's trace began.
        t_us: u64,
        /// How many squares had to be changed in the likeliest hypothesis.
        squares: u32,
    },
    /// A position that a director had put up again stands, and tracking goes on from there.
    PutUp {
        /// The board.
        board: BoardId,
        /// The time of the [fact](crate::facts::StandsFact) that told it.
        of_us: u64,
        /// When it stood, microseconds since the match's trace began.
        t_us: u64,
        /// Squares that read otherwise then.
        differing: rules::Bitboard,
    },
    /// The match began anew from the set-up position: everything reported before has been retracted.
    Restarted {
        /// When, microseconds since the trace began.
        t_us: u64,
    },
}
