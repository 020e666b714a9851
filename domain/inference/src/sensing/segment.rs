//! The changes of one board's squares since the last press. An observation is made from them.
//!
//! A segment is open while a player thinks and moves. A press, or the stop of the clock, closes it.
//! A square that settles after the press belongs to the next segment. There it first differs from the
//! expected squares, and then the difference goes away.

use rules::{Bitboard, Square};

use crate::sensing::{placing::Turn, square_sensor::SquareEvent};

/// Maximum number of events kept of one segment. Beyond it (a flickering reed, a board being set up) the earlier half
/// is forgotten, and only its squares are remembered. Bound: on memory and on the work of one press.
pub(crate) const MAX_EVENTS: usize = 256;

/// The squares of one board since its last press.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// The occupied squares at the beginning.
    pub(crate) start: Bitboard,
    /// The squares of the events that were forgotten.
    pub(crate) folded: Bitboard,
    /// The changes so far, oldest first.
    pub(crate) events: Vec<SquareEvent>,
    /// Number of events that were forgotten.
    pub(crate) forgotten: usize,
    /// The occupied squares as last read.
    pub(crate) now: Bitboard,
    /// For each square, how many segments in a row have been closed in which it did not change.
    at_rest: [u8; 64],
}

impl Segment {
    /// A segment that begins with these squares occupied.
    pub(crate) fn new(start: Bitboard) -> Segment {
        Segment {
            start,
            folded: Bitboard::EMPTY,
            events: Vec::new(),
            forgotten: 0,
            now: start,
            at_rest: [0; 64],
        }
    }

    /// Records a square's reading; says whether it changed anything.
    pub(crate) fn read_square(&mut self, t_us: u64, square: Square, occupied: bool) -> bool {
        if self.now.contains(square) == occupied {
            return false;
        }
        if self.events.len() == MAX_EVENTS {
            for event in self.events.drain(..MAX_EVENTS / 2) {
                self.folded.add(event.square);
            }
            self.forgotten += MAX_EVENTS / 2;
        }
        self.now.toggle(square);
        self.events.push(SquareEvent { t_us, square, occupied });
        true
    }

    /// Squares that did not change in this many closed segments before this one.
    pub(crate) fn at_rest(&self, segments: u8) -> Bitboard {
        let at_rest = |square: &Square| self.at_rest[usize::from(*square)] >= segments;
        Square::ALL.into_iter().filter(at_rest).collect()
    }

    /// Squares that have changed since the segment began.
    pub(crate) fn touched(&self) -> Bitboard {
        self.events.iter().fold(self.folded, |touched, event| touched.with(event.square))
    }

    /// Whether the last event fills a square that an earlier event after the first `count` ones filled.
    pub(crate) fn repeats_last_fill(&self, count: usize) -> bool {
        let since = self.events.get(count..).unwrap_or_default();
        since.split_last().is_some_and(|(last, earlier)| {
            earlier.iter().any(|event| event.square == last.square && event.occupied)
        })
    }

    /// Closes the segment after `count` events; the rest begins the next one.
    pub(crate) fn split(&mut self, count: usize) {
        let count = count.min(self.events.len());
        let mut squares = self.squares_before_events();
        let mut changed = self.folded;
        for event in self.events.drain(..count) {
            squares.toggle(event.square);
            changed.add(event.square);
        }
        for (square, segments) in Square::ALL.into_iter().zip(&mut self.at_rest) {
            *segments = if changed.contains(square) { 0 } else { segments.saturating_add(1) };
        }
        self.start = squares;
        self.folded = Bitboard::EMPTY;
    }

    /// Adds the events of a later segment that came after the last event known here, until `until_us`.
    pub(crate) fn look_further(&mut self, later: &Segment, until_us: u64) {
        let since_us = self.events.last().map_or(0, |event| event.t_us);
        let further = |event: &&SquareEvent| event.t_us > since_us && event.t_us <= until_us;
        for event in later.events.iter().filter(further) {
            // A full segment would forget its first events, and counts of events would point to others.
            if self.events.len() < MAX_EVENTS {
                self.read_square(event.t_us, event.square, event.occupied);
            }
        }
    }

    /// Forgets all events and begins again with the squares as they are.
    pub(crate) fn restart(&mut self) {
        *self = Segment::new(self.now);
    }

    /// Turns all squares.
    pub(crate) fn put_right(&mut self, turn: Turn) {
        self.start = turn.squares(self.start);
        self.folded = turn.squares(self.folded);
        self.now = turn.squares(self.now);
        for event in &mut self.events {
            event.square = turn.square(event.square);
        }
        let at_rest = turn.rearranged(&self.at_rest);
        self.at_rest.copy_from_slice(&at_rest);
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.events.capacity() * size_of::<SquareEvent>()
    }

    /// The occupied squares when the first remembered event came.
    pub(crate) fn squares_before_events(&self) -> Bitboard {
        self.events
            .iter()
            .fold(self.now, |squares, event| squares ^ Bitboard::from_square(event.square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::summary::Observation;

    const INITIAL: Bitboard = Bitboard(0xffff_0000_0000_ffff);

    #[test]
    fn repeated_readings_are_no_events() {
        let mut segment = Segment::new(INITIAL);
        assert!(!segment.read_square(1, Square::E2, true));
        assert!(segment.read_square(2, Square::E2, false));
        assert!(!segment.read_square(3, Square::E2, false));
        assert_eq!(segment.events.len(), 1);
        assert_eq!(segment.now, INITIAL.without(Square::E2));
    }

    #[test]
    fn splitting_leaves_the_later_events_to_the_next_segment() {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(1, Square::E2, false);
        segment.read_square(2, Square::E4, true);
        segment.read_square(3, Square::E7, false);
        segment.split(2);
        assert_eq!(segment.start, INITIAL.without(Square::E2).with(Square::E4));
        assert_eq!(segment.events.len(), 1);
        assert_eq!(segment.touched(), Bitboard::from_square(Square::E7));
    }

    #[test]
    fn a_flickering_square_does_not_grow_the_segment_and_loses_no_occupancy() {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(0, Square::E2, false);
        for t_us in 1..10_000 {
            segment.read_square(t_us, Square::D5, t_us % 2 == 1);
        }
        assert!(segment.events.len() <= MAX_EVENTS);
        assert!(segment.touched().contains(Square::E2));
        let count = segment.events.len();
        let observation = Observation::of(&segment, count, u64::MAX);
        assert_eq!(observation.before, INITIAL);
        assert_eq!(observation.after, segment.now);
    }

    #[test]
    fn a_flickering_square_repeats_what_it_said() {
        let mut segment = Segment::new(INITIAL);
        segment.read_square(1, Square::E2, false);
        segment.read_square(2, Square::E4, true);
        assert!(!segment.repeats_last_fill(1));
        segment.read_square(3, Square::E4, false);
        segment.read_square(4, Square::E4, true);
        assert!(segment.repeats_last_fill(1));
        assert!(!segment.repeats_last_fill(3) && !segment.repeats_last_fill(9));
    }

    #[test]
    fn what_was_read_after_a_segment_was_closed_is_added_once() {
        let mut closed = Segment::new(INITIAL);
        closed.read_square(1, Square::E2, false);
        closed.read_square(2, Square::E4, true);
        let mut next = closed.clone();
        next.split(1);
        next.read_square(3, Square::E7, false);
        next.read_square(9, Square::E5, true);
        closed.look_further(&next, 5);
        let squares = |segment: &Segment| -> Vec<Square> {
            segment.events.iter().map(|event| event.square).collect()
        };
        assert_eq!(squares(&closed), [Square::E2, Square::E4, Square::E7]);
        closed.look_further(&next, 9);
        assert_eq!(squares(&closed), [Square::E2, Square::E4, Square::E7, Square::E5]);
    }
}
