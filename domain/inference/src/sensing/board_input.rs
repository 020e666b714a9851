//! One board as its readings come in: the open segment, the clock, and a press that is not explained yet.

use readings::{Occupancy, ReadingKind, SquareReading, TraceHeader};
use rules::{Bitboard, BoardId, Color, File, Role, Square};
use smallvec::SmallVec;

use crate::back_rank::BackRank;
use crate::hand_times::SETTLE_US;
use crate::sensing::{
    clock::{Clock, Timing},
    identity::Identity,
    placing::Lie,
    segment::Segment,
    square_sensor::{SquareEvent, SquareSensor},
};

/// Phase of a board's game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Pieces are being set up; no clock runs.
    BeforeStart,
    /// A clock runs.
    Playing,
    /// The clock was stopped.
    Stopped,
}

/// A press that waits, because nothing read so far explains it well: a piece may still be settling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) presser: Color,
    pub(crate) t_us: u64,
    /// Events of the segment that came before the press.
    pub(crate) count: usize,
    /// Number of later events after which the press was tried again.
    pub(crate) tries: u8,
}

/// Maximum number of later events after which an unexplained press is tried again. Bound: on the work of one press.
pub(crate) const MAX_TRIES: u8 = 4;
/// One board.
#[derive(Clone, Debug)]
pub(crate) struct BoardInput {
    sensor: SquareSensor,
    pub(crate) identity: Identity,
    pub(crate) segment: Segment,
    pub(crate) clock: Clock,
    pub(crate) phase: Phase,
    pub(crate) pending: Option<Pending>,
    /// The last presser, and the time of the press, microseconds.
    pub(crate) last_press: Option<(Color, u64)>,
    /// Arrival squares of the last segment that each side closed, White's first.
    pub(crate) recent: [Bitboard; 2],
    /// Squares that emptied in the same segments.
    pub(crate) left: [Bitboard; 2],
    /// Time at which the presser's time began to run, microseconds, and both players' remaining times then,
    /// milliseconds.
    turn: Option<(u64, [Option<i64>; 2])>,
    /// The same at the last press: it ends that turn and begins the next one.
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
            left: [Bitboard::EMPTY; 2],
            turn: None,
            next_turn: None,
            set_up: false,
        }
    }

    /// Takes the reading of one square and returns the changes: two if a piece was exchanged.
    pub(crate) fn read_square(
        &mut self,
        t_us: u64,
        reading: &ReadingKind,
    ) -> SmallVec<[SquareEvent; 2]> {
        let mut events = SmallVec::new();
        let sensed = self.sensor.square(reading, &self.identity.levels);
        if let Some((square, sensed)) = sensed {
            self.take(t_us, square, sensed, &mut events);
        }
        events
    }

    /// Takes a reading of all squares and says whether any has changed. A square that differs has changed
    /// unnoticed. Emptied squares come first, because a hand lifts a piece before it sets it down.
    pub(crate) fn read_snapshot(
        &mut self,
        t_us: u64,
        occupied: Option<Occupancy>,
        squares: Option<&[SquareReading]>,
    ) -> bool {
        let sensed = self.sensor.snapshot(occupied, squares, &self.identity.levels);
        let Some(sensed) = sensed else { return false };
        let mut events = SmallVec::new();
        for is_occupied in [false, true] {
            for (square, sensed) in Square::ALL.into_iter().zip(sensed) {
                if (sensed != SquareReading::Empty) == is_occupied {
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
        sensed: SquareReading,
        events: &mut SmallVec<[SquareEvent; 2]>,
    ) {
        // Another piece stands there, and the square never read empty: the piece was exchanged.
        let exchanged =
            self.identity.read(t_us, square, sensed) && self.segment.now.contains(square);
        let emptied = exchanged.then_some(false);
        for occupied in emptied.into_iter().chain([sensed != SquareReading::Empty]) {
            if self.segment.read_square(t_us, square, occupied) {
                events.push(SquareEvent { t_us, square, occupied });
            }
        }
        let forgotten = std::mem::take(&mut self.segment.forgotten);
        if let Some(pending) = &mut self.pending {
            pending.count = pending.count.saturating_sub(forgotten);
        }
    }

    /// Before the start, a board with the initial squares is set up. Changes after that may be the first ply.
    pub(crate) fn note_set_up(&mut self) {
        if self.phase == Phase::BeforeStart && self.segment.now == Occupancy::INITIAL.0 {
            self.set_up = true;
            self.segment.restart();
        }
    }

    /// Turns everything that was read so far: it is settled now how board and clock lie.
    pub(crate) fn put_right(&mut self, lie: Lie) {
        let read_again = self.sensor.put_right(lie);
        self.identity.put_right(lie);
        self.segment.put_right(lie.turn);
        if let Some(squares) = read_again.filter(|_| self.phase == Phase::BeforeStart) {
            let mut events = SmallVec::new();
            for (square, sensed) in Square::ALL.into_iter().zip(squares) {
                self.take(0, square, sensed, &mut events);
            }
            self.segment.restart();
        }
        self.note_set_up();
        if lie.clock_turned {
            self.last_press = self.last_press.map(|(by, t_us)| (by.other(), t_us));
            self.clock.exchange();
            for turn in [&mut self.turn, &mut self.next_turn].into_iter().flatten() {
                turn.1.reverse();
            }
        }
    }

    /// Forgets the last plies: the pieces were moved without any.
    pub(crate) fn forget_recent(&mut self) {
        self.recent = [Bitboard::EMPTY; 2];
        self.left = [Bitboard::EMPTY; 2];
    }

    /// White's clock has been started: play begins with the pieces as they stand.
    pub(crate) fn start(&mut self) {
        self.phase = Phase::Playing;
        self.segment.restart();
        self.learn_set_up();
    }

    /// The back rank of a side as the sensors name its pieces. None unless they name all that stand there.
    pub(crate) fn named_rank(&self, color: Color) -> Option<BackRank> {
        let mut rank = BackRank::default();
        for (file, role) in File::ALL.into_iter().zip(&mut rank.roles) {
            let square = Square::from_coords(file, color.backrank());
            if !self.segment.start.contains(square) {
                continue;
            }
            let piece = self.identity.named(square)?;
            *role = piece.role;
            if piece.color != color || piece.role == Role::Pawn {
                return None;
            }
        }
        Some(rank)
    }

    /// Learns the levels of the pieces from the set-up position, if it was read.
    fn learn_set_up(&mut self) {
        if let Some((levels, weakest)) = self.sensor.set_up() {
            self.identity.levels.learn_set_up(levels, weakest);
        }
    }

    /// Play has begun unnoticed. The changes since the set-up belong to it.
    pub(crate) fn start_unnoticed(&mut self) {
        self.phase = Phase::Playing;
        self.learn_set_up();
        if !self.set_up {
            let (initial, now) = (Occupancy::INITIAL.0, self.segment.now);
            self.segment = Segment::new(initial);
            // A hand lifts a piece before it sets it down.
            for square in (initial & !now).into_iter().chain(now & !initial) {
                self.segment.read_square(0, square, now.contains(square));
            }
        }
    }

    /// Closes the segment after `count` events. `presser` pressed; pieces have `arrived` on these squares
    /// and have `left` those.
    pub(crate) fn close_segment(
        &mut self,
        presser: Option<Color>,
        count: usize,
        (left, arrived): (Bitboard, Bitboard),
    ) {
        if let Some(presser) = presser
            && arrived.any()
        {
            self.recent[usize::from(presser.is_black())] = arrived;
            self.left[usize::from(presser.is_black())] = left;
        }
        self.segment.split(count);
        self.pending = None;
    }

    /// Squares that have changed since the last press. None while nobody plays: then no press follows.
    pub(crate) fn touched(&self) -> Bitboard {
        if self.phase == Phase::Playing { self.segment.touched() } else { Bitboard::EMPTY }
    }

    /// Latest time for the explanation of the pending press, microseconds.
    pub(crate) fn deadline_us(&self) -> Option<u64> {
        self.pending.map(|pending| pending.t_us.saturating_add(SETTLE_US))
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.identity.waiting_bytes() + self.segment.memory_bytes()
    }

    /// A press ends one turn and begins another. Call it once everything before the press is explained.
    pub(crate) fn begin_turn(&mut self, t_us: u64) {
        self.turn = self.next_turn.replace((t_us, self.clock.left_ms(t_us)));
    }

    /// Times by the clocks of the ply that a press at `t_us` ends.
    pub(crate) fn timing(&self, t_us: u64) -> Timing {
        let Some((began_us, left_ms)) = self.turn else { return Timing::default() };
        let thought_ms = t_us.saturating_sub(began_us) / 1_000;
        Timing {
            thought_ms: u32::try_from(thought_ms).ok(),
            left_ms: left_ms.map(|left| u32::try_from(left?.max(0)).ok()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before_the_match() -> BoardInput {
        let header = r#"{"twinboard":"trace","version":1,"match":"m","rulebook":"uscf-bughouse","base_s":300,"delay_s":0,
            "boards":{"A":{"sensor":"reed"},"B":{"sensor":"reed"}}}"#;
        BoardInput::new(&serde_json::from_str(header).expect("a header"), BoardId::A)
    }

    #[test]
    fn pieces_that_were_moved_before_play_was_noticed_are_lifted_before_they_land() {
        let mut input = before_the_match();
        for (square, reading) in
            [(Square::F3, SquareReading::Occupied), (Square::G1, SquareReading::Empty)]
        {
            let kind = ReadingKind::Square { square, reading: Some(reading), level: None };
            input.read_square(5, &kind);
        }
        input.start_unnoticed();
        let events: Vec<_> = input.segment.events.iter().map(|event| event.square).collect();
        assert_eq!(events, [Square::G1, Square::F3]);
    }

    #[test]
    fn events_before_a_press_stay_before_it_when_a_full_segment_forgets() {
        let mut input = before_the_match();
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
        let count = input.segment.events.len();
        input.pending = Some(Pending { presser: Color::White, t_us: 199, count, tries: 0 });
        (200..300).for_each(|number| flicker(&mut input, number));
        let before_press = input.segment.events.iter().filter(|event| event.t_us <= 199).count();
        assert!(before_press < count, "some have been forgotten");
        assert_eq!(input.pending.map(|pending| pending.count), Some(before_press));
    }
}
