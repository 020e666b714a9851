//! What the readings said about one closed segment, kept for as long as its findings may change.
//!
//! The hypotheses say which plies were made; *how* they were made is only in the readings: what was
//! touched when, what moved after the press, how long this player usually takes to the clock. Findings are
//! pure functions of both.

use rules::{Bitboard, Color, Square};
use smallvec::SmallVec;

use crate::{rhythm::Rhythm, segment::SquareEvent};

/// Events kept of one segment, the latest; a quiet ply has two to four.
const MAX_EVENTS: usize = 32;
/// Events kept of the time right after a press.
const MAX_AFTERMATH: usize = 8;
/// How long after a press its mover's hands may still be busy with the ply, microseconds.
pub(crate) const AFTERMATH_US: u64 = 320_000;

/// The readings of one segment of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Squares occupied when it began.
    pub(crate) before: Bitboard,
    /// What changed until its press, oldest first.
    pub(crate) events: Box<[SquareEvent]>,
    /// What changed within [`AFTERMATH_US`] after it, as far as is known yet.
    pub(crate) aftermath: SmallVec<[SquareEvent; 2]>,
    /// The press before it on this board.
    pub(crate) previous_press: Option<(Color, u64)>,
    /// The press after it on this board, if there was one yet.
    pub(crate) next_press: Option<(Color, u64)>,
    /// Probability that no ply belonged to the press before it, as believed now.
    pub(crate) previous_was_bare: f64,
    /// How long each player usually takes from setting a piece down to the press, White first.
    pub(crate) rhythms: [Rhythm; 2],
}

impl Evidence {
    /// Of a segment that began with `before` occupied and had these events.
    pub(crate) fn new(
        before: Bitboard,
        events: &[SquareEvent],
        previous_press: Option<(Color, u64)>,
        rhythms: [Rhythm; 2],
    ) -> Evidence {
        let kept = &events[events.len().saturating_sub(MAX_EVENTS)..];
        Evidence { before, events: kept.into(), previous_press, rhythms, ..Evidence::default() }
    }

    /// Takes what changed after the press at `press_us`; later changes are passed over.
    pub(crate) fn see_aftermath(&mut self, press_us: u64, event: SquareEvent) {
        let soon = event.t_us <= press_us.saturating_add(AFTERMATH_US);
        if soon && self.aftermath.len() < MAX_AFTERMATH {
            self.aftermath.push(event);
        }
    }

    /// Whether the square was occupied when the press came.
    pub(crate) fn occupied_at_press(&self, square: Square) -> bool {
        let last = self.events.iter().rfind(|event| event.square == square);
        last.map_or(self.before.contains(square), |event| event.occupied)
    }

    /// When the square was last emptied before the press.
    pub(crate) fn lifted_us(&self, square: Square) -> Option<u64> {
        let lift = self.events.iter().rfind(|event| event.square == square && !event.occupied);
        lift.map(|event| event.t_us)
    }

    /// The rhythm of one player.
    pub(crate) fn rhythm(&self, color: Color) -> Rhythm {
        self.rhythms[usize::from(color.is_black())]
    }

    /// Memory taken beside the struct itself, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val::<[SquareEvent]>(&self.events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(t_us: u64, square: Square, occupied: bool) -> SquareEvent {
        SquareEvent { t_us, square, occupied }
    }

    #[test]
    fn the_squares_at_the_press_follow_from_those_before_and_the_events() {
        let events = [event(1, Square::E2, false), event(2, Square::E4, true)];
        let before = Bitboard::from_iter([Square::E2, Square::D2]);
        let evidence = Evidence::new(before, &events, None, Default::default());
        assert!(evidence.occupied_at_press(Square::D2) && evidence.occupied_at_press(Square::E4));
        assert!(!evidence.occupied_at_press(Square::E2));
        assert_eq!(evidence.lifted_us(Square::E2), Some(1));
        assert_eq!(evidence.lifted_us(Square::E4), None);
    }

    #[test]
    fn the_aftermath_ends_and_is_bounded() {
        let mut evidence = Evidence::default();
        evidence.see_aftermath(1_000, event(1_000 + AFTERMATH_US + 1, Square::E4, true));
        assert!(evidence.aftermath.is_empty());
        for t_us in 0..100 {
            evidence.see_aftermath(1_000, event(1_000 + t_us, Square::E4, t_us % 2 == 0));
        }
        assert_eq!(evidence.aftermath.len(), MAX_AFTERMATH);
    }
}
