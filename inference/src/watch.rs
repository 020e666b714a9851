//! One board as its readings come in: the open segment, the clock, and a press not yet explained.

use rules::{Bitboard, BoardId, Color};

use crate::{
    clock::Clock,
    record::{Occupancy, TraceHeader},
    segment::Segment,
    sensor::OccupancySensor,
    shares::Timing,
};

/// Where a board is in its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Pieces are being set up; no clock runs.
    BeforeStart,
    /// A clock runs.
    Playing,
    /// The clock was stopped.
    Stopped,
}

/// A press that nothing read so far explains well: a piece may still be settling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) presser: Color,
    pub(crate) t_us: u64,
    /// Events of the segment that had come before the press.
    pub(crate) count: usize,
    /// How often later events were tried as part of it.
    pub(crate) tries: u8,
}

/// How long after a press a piece may take to be read on its square.
pub(crate) const SETTLE_US: u64 = 900_000;
/// How many later events are tried as part of an unexplained press.
pub(crate) const MAX_TRIES: u8 = 6;
/// A press within this time of one already seen in the clock's display is the same press.
const SAME_PRESS_US: u64 = 300_000;

/// One board.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) sensor: OccupancySensor,
    pub(crate) segment: Segment,
    pub(crate) clock: Clock,
    pub(crate) phase: Phase,
    pub(crate) pending: Option<Pending>,
    /// Who pressed last, and when.
    pub(crate) last_press: Option<(Color, u64)>,
    /// Squares on which something arrived in the last segment that each side closed, White's first.
    pub(crate) recent: [Bitboard; 2],
    /// When the time of the side that presses began to run, and both players' remaining times then.
    turn: Option<(u64, [Option<i64>; 2])>,
    /// The same for the last press, which ends that turn and begins the next.
    next_turn: Option<(u64, [Option<i64>; 2])>,
    set_up: bool,
}

impl Watch {
    /// A board before the match.
    pub(crate) fn new(header: &TraceHeader, board: BoardId) -> Watch {
        Watch {
            sensor: OccupancySensor::new(header, board),
            segment: Segment::new(Occupancy::INITIAL.0),
            clock: Clock::default(),
            phase: Phase::BeforeStart,
            pending: None,
            last_press: None,
            recent: [Bitboard::EMPTY; 2],
            turn: None,
            next_turn: None,
            set_up: false,
        }
    }

    /// Before the start: a board that shows the initial squares is set up, and what changes from then
    /// on may be the first ply.
    pub(crate) fn note_set_up(&mut self) {
        if self.phase == Phase::BeforeStart && self.segment.now() == Occupancy::INITIAL.0 {
            self.set_up = true;
            self.segment.restart();
        }
    }

    /// White's clock has been started: play begins with the pieces as they stand.
    pub(crate) fn start(&mut self) {
        self.phase = Phase::Playing;
        self.segment.restart();
    }

    /// Play turns out to have begun unnoticed: what has changed since the set-up belongs to it.
    pub(crate) fn start_unnoticed(&mut self) {
        self.phase = Phase::Playing;
        if !self.set_up {
            let now = self.segment.now();
            self.segment = Segment::new(Occupancy::INITIAL.0);
            self.segment.read_snapshot(0, now);
        }
    }

    /// Closes the segment after `count` events, `presser` having pressed.
    pub(crate) fn close_segment(&mut self, presser: Option<Color>, count: usize) {
        let closed = self.segment.observe(count, u64::MAX);
        let arrived = closed.touched & closed.after;
        if let Some(presser) = presser
            && arrived.any()
        {
            self.recent[usize::from(presser.is_black())] = arrived;
        }
        self.segment.split(count);
        self.pending = None;
    }

    /// Whether a press by `by` has been taken into account already, as seen in the display.
    pub(crate) fn is_known_press(&self, by: Color, t_us: u64) -> bool {
        self.last_press
            .is_some_and(|(known, at)| known == by && t_us.saturating_sub(at) <= SAME_PRESS_US)
    }

    /// Squares that have changed since the last press, while a press may still be to come.
    pub(crate) fn touched(&self) -> Bitboard {
        if self.phase == Phase::Playing { self.segment.touched() } else { Bitboard::EMPTY }
    }

    /// When the pending press must be explained at the latest.
    pub(crate) fn deadline_us(&self) -> Option<u64> {
        self.pending.map(|pending| pending.t_us.saturating_add(SETTLE_US))
    }

    /// A press ends one turn and begins another. To be noted once everything before it is explained.
    pub(crate) fn begin_turn(&mut self, t_us: u64) {
        self.turn = self.next_turn.replace((t_us, self.clocks_ms(t_us)));
    }

    /// What the clocks say about the ply that a press at `t_us` ends.
    pub(crate) fn timing(&self, t_us: u64) -> Timing {
        let Some((began_us, left_ms)) = self.turn else { return Timing::default() };
        let thought_ms = t_us.saturating_sub(began_us) / 1_000;
        Timing {
            thought_ms: u32::try_from(thought_ms).ok(),
            left_ms: left_ms.map(|left| u32::try_from(left?.max(0)).ok()),
        }
    }

    /// Both players' remaining times at `t_us`, White's first.
    pub(crate) fn clocks_ms(&self, t_us: u64) -> [Option<i64>; 2] {
        [Color::White, Color::Black].map(|color| self.clock.remaining_ms(t_us, color))
    }
}
