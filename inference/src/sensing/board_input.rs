//! One board as its readings come in: the open segment, the clock, and a press not yet explained.

use readings::{Occupancy, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId, Color, Square};
use smallvec::SmallVec;

use crate::sensing::{
    clock::{Clock, Timing},
    identity::Identity,
    segment::Segment,
    square_event::SquareEvent,
    square_sensor::{Sensed, SquareSensor},
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
pub(crate) const MAX_TRIES: u8 = 4;
/// A press within this time of one already seen in the clock's display is the same press.
const SAME_PRESS_US: u64 = 300_000;

/// One board.
#[derive(Clone, Debug)]
pub(crate) struct BoardInput {
    sensor: SquareSensor,
    pub(crate) identity: Identity,
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

impl BoardInput {
    /// A board before the match.
    pub(crate) fn new(header: &TraceHeader, board: BoardId) -> BoardInput {
        let (sensor, levels) = SquareSensor::new(header, board);
        BoardInput {
            sensor,
            identity: Identity::new(levels),
            segment: Segment::new(Occupancy::INITIAL.0),
            clock: Clock::new(header.time.as_ref()),
            phase: Phase::BeforeStart,
            pending: None,
            last_press: None,
            recent: [Bitboard::EMPTY; 2],
            turn: None,
            next_turn: None,
            set_up: false,
        }
    }

    /// A square tells about itself: what changes by that.
    pub(crate) fn read_square(
        &mut self,
        t_us: u64,
        reading: &ReadingKind,
    ) -> SmallVec<[SquareEvent; 2]> {
        let mut events = SmallVec::new();
        let sensed = self.sensor.square(reading, self.identity.levels());
        if let Some((square, sensed)) = sensed {
            self.take(t_us, square, sensed, &mut events);
        }
        events
    }

    /// All squares tell about themselves: squares that differ have changed unnoticed until now. Emptied
    /// squares come first, as a hand would have done it.
    pub(crate) fn read_snapshot(
        &mut self,
        t_us: u64,
        occupied: Option<Occupancy>,
        squares: Option<&[SquareReading]>,
    ) -> bool {
        let sensed = self.sensor.snapshot(occupied, squares, self.identity.levels());
        let Some(sensed) = sensed else { return false };
        let mut events = SmallVec::new();
        for is_occupied in [false, true] {
            for (square, sensed) in Square::ALL.into_iter().zip(sensed) {
                if sensed.is_occupied() == is_occupied {
                    self.take(t_us, square, sensed, &mut events);
                }
            }
        }
        !events.is_empty()
    }

    fn take(
        &mut self,
        t_us: u64,
        square: Square,
        sensed: Sensed,
        events: &mut SmallVec<[SquareEvent; 2]>,
    ) {
        let exchanged = match sensed {
            Sensed::Empty(level) => {
                self.identity.leave(t_us, square);
                if let Some(level) = level {
                    self.identity.levels_mut().read_empty(square, f64::from(level));
                }
                false
            }
            Sensed::Occupied(None) => false,
            Sensed::Occupied(Some(says)) => self.identity.see(t_us, square, says),
        };
        // A piece that is another one without a moment in between was exchanged.
        let exchanged = exchanged && self.segment.now().contains(square);
        let emptied = exchanged.then_some(false);
        for occupied in emptied.into_iter().chain([sensed.is_occupied()]) {
            if self.segment.read_square(t_us, square, occupied) {
                events.push(SquareEvent { t_us, square, occupied });
            }
        }
        let forgotten = self.segment.take_forgotten();
        if let Some(pending) = &mut self.pending {
            pending.count = pending.count.saturating_sub(forgotten);
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

    /// Whether a game that had been stopped is set up again: the first squares, and both clocks at the
    /// full time.
    pub(crate) fn is_put_back(&self, base_ms: i64) -> bool {
        let full = |color| self.clock.remaining_ms(0, color).is_some_and(|ms| ms >= base_ms);
        self.phase == Phase::Stopped
            && self.segment.now() == Occupancy::INITIAL.0
            && self.clock.running().is_none()
            && full(Color::White)
            && full(Color::Black)
    }

    /// Whether nobody plays here and the pieces stand as they do before the first ply: on this board, too, a match may begin anew.
    pub(crate) fn waits_set_up(&self) -> bool {
        match self.phase {
            Phase::BeforeStart => true,
            Phase::Playing => false,
            Phase::Stopped => self.segment.now() == Occupancy::INITIAL.0,
        }
    }

    /// Begins anew, before the start, with the pieces as they stand.
    pub(crate) fn restart(&mut self) {
        self.phase = Phase::BeforeStart;
        self.pending = None;
        self.last_press = None;
        self.recent = [Bitboard::EMPTY; 2];
        self.turn = None;
        self.next_turn = None;
        self.set_up = self.segment.now() == Occupancy::INITIAL.0;
        self.segment.restart();
    }

    /// White's clock has been started: play begins with the pieces as they stand.
    pub(crate) fn start(&mut self) {
        self.phase = Phase::Playing;
        self.segment.restart();
        self.learn_set_up();
    }

    /// The pieces' levels are learnt from the set-up, if that is what was read.
    fn learn_set_up(&mut self) {
        if let Some(levels) = self.sensor.set_up() {
            self.identity.levels_mut().learn_set_up(levels);
        }
    }

    /// Play turns out to have begun unnoticed: what has changed since the set-up belongs to it.
    pub(crate) fn start_unnoticed(&mut self) {
        self.phase = Phase::Playing;
        self.learn_set_up();
        if !self.set_up {
            let now = self.segment.now();
            self.segment = Segment::new(Occupancy::INITIAL.0);
            self.segment.read_snapshot(0, now);
        }
    }

    /// Closes the segment after `count` events, `presser` having pressed; on these squares something `arrived` in it.
    pub(crate) fn close_segment(
        &mut self,
        presser: Option<Color>,
        count: usize,
        arrived: Bitboard,
    ) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_before_a_press_stay_before_it_when_a_full_segment_forgets() {
        let header = r#"{"twinboard":"trace","version":1,"match":"m","rulebook":"uscf-bughouse","base_s":300,"delay_s":0,
            "boards":{"A":{"sensor":"reed"},"B":{"sensor":"reed"}}}"#;
        let header: TraceHeader = serde_json::from_str(header).expect("a header");
        let mut input = BoardInput::new(&header, BoardId::A);
        let flicker = |input: &mut BoardInput, number: u64| {
            let reading = match number % 2 {
                0 => SquareReading::Occupied,
                _ => SquareReading::Empty,
            };
            let reading = Some(reading);
            let kind = ReadingKind::Square { square: Square::D5, reading, level: None };
            input.read_square(number, &kind);
        };
        (0..200).for_each(|number| flicker(&mut input, number));
        let count = input.segment.events().len();
        input.pending = Some(Pending { presser: Color::White, t_us: 199, count, tries: 0 });
        (200..300).for_each(|number| flicker(&mut input, number));
        let before_press = input.segment.events().iter().filter(|event| event.t_us <= 199).count();
        assert!(before_press < count, "some have been forgotten");
        assert_eq!(input.pending.map(|pending| pending.count), Some(before_press));
    }
}
