//! The latest changes of one board's squares, across presses: the readings behind the findings about hands.
//!
//! Segments end at presses, hands do not: a piece is lifted before a press and put back after it.
//! So the changes are kept in one sequence, and every detector looks at its own part.

use std::collections::VecDeque;

use rules::{Bitboard, Square};

use crate::sensing::{placing::Turn, square_sensor::SquareEvent};

/// Changes kept, the latest. Bound: on memory; a match has about 500 a board, a chattering contact more.
pub(crate) const MAX_EVENTS: usize = 4_096;

/// The time after the first of these up to and including the second, microseconds.
pub(crate) type Span = (u64, u64);

/// One board's changes, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct SquareHistory {
    events: VecDeque<SquareEvent>,
    /// Time of the latest change that is not kept any more, microseconds.
    forgotten_us: Option<u64>,
}

/// A square that was emptied, and filled again by the same piece or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absence {
    pub(crate) square: Square,
    pub(crate) lifted_us: u64,
    /// None if the square was not filled within the time looked at.
    pub(crate) filled_us: Option<u64>,
}

impl SquareHistory {
    /// Takes a change, no earlier than the last.
    pub(crate) fn note(&mut self, event: SquareEvent) {
        if self.events.len() == MAX_EVENTS {
            self.forgotten_us = self.events.pop_front().map(|oldest| oldest.t_us);
        }
        self.events.push_back(event);
    }

    /// Turns all squares.
    pub(crate) fn put_right(&mut self, turn: Turn) {
        for event in &mut self.events {
            event.square = turn.square(event.square);
        }
    }

    /// Whether every change after `since_us` is kept.
    pub(crate) fn remembers(&self, since_us: u64) -> bool {
        self.forgotten_us.is_none_or(|forgotten_us| since_us >= forgotten_us)
    }

    /// The changes in a time.
    pub(crate) fn between(&self, span: Span) -> impl DoubleEndedIterator<Item = &SquareEvent> {
        let first = self.events.partition_point(|event| event.t_us <= span.0);
        let end = self.events.partition_point(|event| event.t_us <= span.1).max(first);
        self.events.range(first..end)
    }

    /// The times within a time at which a square was filled.
    pub(crate) fn filled(&self, at: Square, span: Span) -> impl DoubleEndedIterator<Item = u64> {
        self.changed(at, true, span)
    }

    /// The times within a time at which a square was emptied.
    pub(crate) fn lifted(&self, at: Square, span: Span) -> impl DoubleEndedIterator<Item = u64> {
        self.changed(at, false, span)
    }

    fn changed(&self, at: Square, to: bool, span: Span) -> impl DoubleEndedIterator<Item = u64> {
        let changes = self.between(span);
        changes
            .filter(move |event| event.square == at && event.occupied == to)
            .map(|event| event.t_us)
    }

    /// Every absence from one of `squares` that began in a time, in order of time.
    pub(crate) fn absences(&self, squares: Bitboard, span: Span) -> Vec<Absence> {
        let mut absences: Vec<Absence> = Vec::new();
        for event in self.between(span).filter(|event| squares.contains(event.square)) {
            let SquareEvent { square, t_us, occupied } = *event;
            let mut open = absences.iter_mut().filter(|absence| absence.filled_us.is_none());
            match (occupied, open.rfind(|absence| absence.square == square)) {
                (true, Some(absence)) => absence.filled_us = Some(t_us),
                (false, None) => {
                    absences.push(Absence { square, lifted_us: t_us, filled_us: None })
                }
                _ => {}
            }
        }
        absences
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.events.capacity() * size_of::<SquareEvent>()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A history of these changes, milliseconds.
    pub(crate) fn history(events: &[(u64, Square, bool)]) -> SquareHistory {
        let mut history = SquareHistory::default();
        for &(t_ms, square, occupied) in events {
            history.note(SquareEvent { t_us: t_ms * 1_000, square, occupied });
        }
        history
    }

    #[test]
    fn absences_pair_a_lift_with_the_next_fill_of_its_square() {
        let history = history(&[
            (10, Square::D2, false),
            (20, Square::E2, false),
            (30, Square::D2, true),
            (40, Square::E4, true),
        ]);
        let squares = Bitboard::from_iter([Square::D2, Square::E2]);
        let absences = history.absences(squares, (0, 50_000));
        assert_eq!(absences.len(), 2);
        assert_eq!((absences[0].square, absences[0].filled_us), (Square::D2, Some(30_000)));
        assert_eq!((absences[1].square, absences[1].filled_us), (Square::E2, None));
        // Changes after the time in question are not known.
        assert_eq!(history.absences(squares, (0, 25_000))[0].filled_us, None);
    }

    #[test]
    fn a_chattering_contact_does_not_fill_the_memory() {
        let mut history = SquareHistory::default();
        for t_us in 0..100_000 {
            history.note(SquareEvent { t_us, square: Square::E4, occupied: t_us % 2 == 0 });
        }
        assert_eq!(history.between((0, u64::MAX)).count(), MAX_EVENTS);
        let forgotten_us = 100_000 - 1 - MAX_EVENTS as u64;
        assert!(history.remembers(forgotten_us) && !history.remembers(forgotten_us - 1));
    }
}
