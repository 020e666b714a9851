//! Script of a match at a table: every contact, every press of a lever, and the truth.
//!
//! A script is what the world does; the sensors have not yet looked at it.

use readings::{HandFrom, TruthAnomaly, TruthLine, TruthPly};
use rules::{Bitboard, BoardId, Color, Game, IllegalReason, Match, Ply, TimeControl};

use crate::{
    board_fault::LevelDrift, chance::Chance, contact::Edge, profile::Behaviour, sensors::Sensors,
    standing::Standing, tray::SlotEdge,
};

/// One match as it happens.
#[derive(Clone, Debug)]
pub struct Script {
    /// The match.
    pub match_id: String,
    /// The game.
    pub game: Game,
    /// Time control of the clocks.
    pub time: TimeControl,
    /// Time each player starts with, seconds: that of the first period.
    pub base_s: u32,
    /// Sensors of the boards. Those without sensors, and board B of chess, have none here.
    pub sensors: Sensors,
    /// Board A and board B. A board without sensors has its contacts here all the same, for nobody to read; board B of chess
    /// has nothing.
    pub boards: [BoardScript; 2],
    /// Set-up of the boards.
    pub start: Match,
    /// Randomness of the sensors.
    pub(crate) chance: Chance,
    /// The truth of the boards with sensors, in time order.
    pub truth: Vec<TruthLine>,
    /// End of the match and of all touches, microseconds since its trace began.
    pub end_us: u64,
    /// Behaviours of the table that the hands showed, in no order: those that the truth file cannot
    /// say, for tests and for finding out why a trace looks as it does.
    pub habits: Vec<Habit>,
}

/// A behaviour that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habit {
    /// The behaviour.
    pub behaviour: Behaviour,
    /// The board.
    pub board: BoardId,
    /// Completion of its ply, microseconds since the trace began.
    pub t_us: u64,
}

/// One board and its clock.
#[derive(Clone, Debug, Default)]
pub struct BoardScript {
    /// Pieces seen at the beginning.
    pub initial: Bitboard,
    /// Changes of the contacts, in time order, bounces included.
    pub edges: Vec<Edge>,
    /// Pieces that sensors distinguish, in time order; empty for a reed board.
    pub standings: Vec<Standing>,
    /// Changes of the slots of both reserve trays, in time order; `None` without trays.
    pub trays: Option<Vec<SlotEdge>>,
    /// Acts at the clock, in time order.
    pub clock: Vec<ClockAct>,
    /// Errors of the clock's display.
    pub display: Display,
    /// Time of a loss of the board's readings, from and until, if there is one, microseconds.
    pub lost: Option<(u64, u64)>,
    /// The level that drifts, if one does.
    pub drift: Option<LevelDrift>,
}

/// Differences of a clock's display from that of a sound and rightly set clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Display {
    /// Time that White and Black got beyond the event's, milliseconds.
    pub extra_ms: [u32; 2],
    /// From a moment on, microseconds, this side is shown so much more, milliseconds.
    pub jump: Option<(u64, Color, u32)>,
    /// Slowness, millionths.
    pub slow_ppm: u32,
}

/// An act at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAct {
    /// Time, microseconds since the trace began.
    pub t_us: u64,
    /// The touch.
    pub touch: ClockTouch,
}

/// An act at a lever clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockTouch {
    /// A player presses the own side down.
    Press(Color),
    /// Both sides are stopped.
    Stop,
    /// The clock begins to lie on its side or to be rocked, or is upright again.
    Tilt(bool),
    /// A player's hand comes near the own side, or leaves.
    Hand(Color, bool),
    /// The same by one of two sensors a player, one on each side of the clock.
    HandFrom(Color, HandFrom, bool),
}

/// A ply as it was made, before it is known whether it was legal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) board: BoardId,
    pub(crate) color: Color,
    pub(crate) ply: Ply,
    /// Completion.
    pub(crate) t_us: u64,
}

/// An anomaly that belongs to a ply or to a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub(crate) code: &'static str,
    pub(crate) board: BoardId,
    pub(crate) color: Option<Color>,
    pub(crate) when: When,
}

/// Date of an anomaly.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// At the completion of this ply, by its place in the list of plies made.
    Ply(usize),
    /// At a moment.
    At(u64),
}

/// The truth file's lines about the boards with sensors: plies numbered in order of completion, each as legal as the rules say
/// in the position it was completed in, and anomalies; one about a ply follows its line. Whether a drop was legal
/// is judged with what really was in the reserve, also where nobody watched the other board.
pub(crate) fn truth(
    start: &Match,
    made: &[Made],
    noted: &[Noted],
    sensors: Sensors,
) -> Vec<TruthLine> {
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|&index| made[index].t_us);
    let mut now = start.clone();
    let mut lines: Vec<(u64, TruthLine)> = Vec::with_capacity(made.len() + noted.len());
    let mut early: Vec<TruthLine> = Vec::new();
    let mut n = 0;
    // Boards on which a king was just left in check: taking it is the claim, and no illegal ply.
    let mut exposed = [false; 2];
    for &index in &order {
        let Made { board, color, ply, t_us } = made[index];
        let is_claim = |reason: &IllegalReason| {
            exposed[board.index()] && *reason == IllegalReason::KingCaptured
        };
        let illegality = now.illegality(board, ply).filter(|reason| !is_claim(reason));
        exposed[board.index()] = illegality == Some(IllegalReason::KingLeftInCheck);
        now.play(board, ply);
        if sensors.board(board).is_none() {
            continue;
        }
        n += 1;
        let line = TruthPly { n, board, side: color, uci: ply, t_us, legal: illegality.is_none() };
        lines.push((t_us, TruthLine::Ply(line)));
        let anomaly = |code: &str| {
            let (code, side) = (code.to_owned(), Some(color));
            (t_us, TruthLine::Anomaly(TruthAnomaly { code, t_us, board, side }))
        };
        if illegality.is_some() {
            lines.push(anomaly("illegal-move"));
        }
        let of_ply = noted.iter().filter(|note| matches!(note.when, When::Ply(of) if of == index));
        lines.extend(of_ply.map(|note| anomaly(note.code)));
    }
    for note in noted.iter().filter(|note| sensors.board(note.board).is_some()) {
        if let When::At(t_us) = note.when {
            let (code, side) = (note.code.to_owned(), note.color);
            let line = TruthAnomaly { code, t_us, board: note.board, side };
            match t_us {
                0 => early.push(TruthLine::Anomaly(line)),
                _ => lines.push((t_us, TruthLine::Anomaly(line))),
            }
        }
    }
    // Stable: lines of one instant keep the order above, a ply before what is noted about it.
    lines.sort_by_key(|(t_us, _)| *t_us);
    early.into_iter().chain(lines.into_iter().map(|(_, line)| line)).collect()
}
