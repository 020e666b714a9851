//! Inputs of a referee: plies, anomalies, clocks and the state of the match, as its hub reports them.

use rules::{BoardId, Color, PerMove, Ply, Seat};

use crate::{
    act::Act,
    ids::{AnomalyId, PlyId},
};

/// A ply that might have been played instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative {
    /// The ply.
    pub ply: Ply,
    /// Its probability, 0 to 1.
    pub p: f64,
}

/// A ply as the hub inferred it. A higher revision of the same id replaces a lower one.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyReport {
    /// Stable id.
    pub id: PlyId,
    /// 0 for the first report.
    pub revision: u32,
    /// The board.
    pub board: BoardId,
    /// The side that played it.
    pub side: Color,
    /// Time of the press that completed it, microseconds of match time.
    pub t_us: u64,
    /// Time at which the piece was released, if the board showed it; not after `t_us`.
    pub released_us: Option<u64>,
    /// Time at which the first piece was touched, if the board showed it; not after `released_us`.
    pub touched_us: Option<u64>,
    /// The likeliest ply.
    pub ply: Ply,
    /// Its probability, 0 to 1.
    pub p: f64,
    /// Whether the hub, which weighs how the boards were set up, takes it to be legal.
    pub legal: bool,
    /// Others, likeliest first.
    pub alternatives: Vec<Alternative>,
    /// The mover's remaining time after the ply, milliseconds.
    pub clock_ms: Option<i64>,
}

impl PlyReport {
    /// The player.
    #[must_use]
    pub fn seat(&self) -> Seat {
        Seat { board: self.board, color: self.side }
    }

    /// Time of the release; that of the press, where the board did not show it.
    #[must_use]
    pub fn let_go_us(&self) -> u64 {
        self.released_us.unwrap_or(self.t_us).min(self.t_us)
    }
}

/// An incident, as the hub saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnomalyReport {
    /// Stable id.
    pub id: AnomalyId,
    /// 0 for the first report.
    pub revision: u32,
    /// One of the fixed codes, such as `touch-move`.
    pub code: String,
    /// The board.
    pub board: BoardId,
    /// The side it concerns, if one.
    pub side: Option<Color>,
    /// Time, microseconds of match time.
    pub t_us: u64,
    /// 0 to 1.
    pub confidence: f64,
    /// The ply it concerns, if one.
    pub ply: Option<PlyId>,
    /// For illegal plies: why.
    pub reason: Option<String>,
    /// Evidence of the sensors.
    pub evidence: String,
}

/// A reading of a board's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The board.
    pub board: BoardId,
    /// White's remaining time, milliseconds; 0 or below when the flag is down.
    pub white_ms: i64,
    /// Black's remaining time, milliseconds.
    pub black_ms: i64,
    /// The side whose time runs; `None` if the clock is stopped.
    pub running: Option<Color>,
    /// Time of the reading, microseconds of match time.
    pub t_us: u64,
}

impl ClockReading {
    /// The remaining time of a side, milliseconds.
    #[must_use]
    pub fn remaining_ms(&self, side: Color) -> i64 {
        match side {
            Color::White => self.white_ms,
            Color::Black => self.black_ms,
        }
    }
}

/// Phase of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Pieces are being set up.
    #[default]
    SetUp,
    /// Set up and waiting for the first press.
    Ready,
    /// A clock runs.
    Playing,
    /// Both clocks are stopped, and play may continue.
    Paused,
    /// The hub takes play to be over: it has seen nothing for a while. That is no ruling, and it ends no dispute.
    Ended,
}

impl Phase {
    /// The phase as pages and records write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::SetUp => "set-up",
            Phase::Ready => "ready",
            Phase::Playing => "playing",
            Phase::Paused => "paused",
            Phase::Ended => "ended",
        }
    }

    /// Whether both clocks have been stopped.
    #[must_use]
    pub fn is_stopped(self) -> bool {
        matches!(self, Phase::Paused | Phase::Ended)
    }
}

/// An input of the referee.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A ply, or a revision of one.
    Ply(PlyReport),
    /// The ply never happened.
    PlyRetracted(PlyId),
    /// An anomaly, or a revision of one.
    Anomaly(AnomalyReport),
    /// The anomaly never happened.
    AnomalyRetracted(AnomalyId),
    /// A clock was read.
    Clock(ClockReading),
    /// A director had a board's clock give this for each move from now on.
    PerMove(BoardId, PerMove),
    /// The match entered a phase.
    Phase(Phase),
    /// An act of a person.
    Act(Act),
    /// The next match is being set up at the table: whatever was open in this one is closed.
    NextMatch,
    /// Time passed: see `Referee::poll_timeout`.
    Timeout,
}
