//! One board in the life of a match. Pure.

use readings::Occupancy;
use rules::{Bitboard, Color};

use super::super::view::{BoardView, Display};
use crate::HubTime;

/// Maximum number of squares by which a board may differ from the initial position and still count as set up: a sensor may be dead, or a
/// piece not in its place. A match begins and ends by the same number.
pub(in super::super) const MISPLACED_MAX: usize = 4;
/// Minimum number of squares that hands change who put pieces back; a ply changes fewer, castling apart, which ends nowhere near the start.
const PUT_BACK_MIN: usize = 3;
/// The same where the board does not end up exactly as at the start.
const PUT_BACK_NEARLY_MIN: usize = 5;
/// Maximum number of squares that the plies between two presses change. A larger change is no play.
const BETWEEN_PRESSES_MAX: usize = 6;

/// The first squares of pawns.
pub(in super::super) const PAWNS: Bitboard = Bitboard(0x00ff_0000_0000_ff00);

/// One board.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct BoardLife {
    /// No clock of it is read.
    pub(super) clockless: bool,
    pub(super) occupied: Option<Bitboard>,
    pub(super) clock: Option<Display>,
    /// Last change of a square.
    pub(super) changed: Option<HubTime>,
    /// Its pieces were put back while the other board was not: the match goes on without it.
    pub(super) is_done: bool,
    /// State when the match began to be followed.
    at_start: Option<Bitboard>,
    /// After the last completed ply, and who completed it.
    at_ply: Option<Bitboard>,
    last_by: Option<Color>,
    /// Whether a pawn had left its first square when a ply was complete: then no ply leads back to the start.
    has_moved_pawn: bool,
    /// State when its clock was stopped, or the match ended.
    at_stop: Option<Bitboard>,
    /// The clock's display then.
    pub(super) shown_at_stop: Option<Display>,
}

impl BoardLife {
    pub(super) fn new(clockless: bool, view: &BoardView) -> BoardLife {
        let occupied = view.occupied.map(|Occupancy(occupied)| occupied);
        BoardLife { clockless, occupied, clock: view.clock, ..BoardLife::default() }
    }

    /// Squares that differ from the initial position; all while the board is unknown.
    pub(super) fn misplaced(&self) -> usize {
        self.occupied.map_or(64, |occupied| (occupied ^ Occupancy::INITIAL.0).count())
    }

    pub(super) fn is_near_start(&self) -> bool {
        self.misplaced() <= MISPLACED_MAX
    }

    /// Whether a square or a few read wrongly, and no piece has moved: one that moves leaves a square and comes to another.
    pub(super) fn is_set_up_but_for_faults(&self) -> bool {
        let Some(occupied) = self.occupied.filter(|_| self.is_near_start()) else { return false };
        let start = Occupancy::INITIAL.0;
        (start & !occupied).is_empty() || (occupied & !start).is_empty()
    }

    /// Whether both kings' squares fit a game in play.
    pub(super) fn is_cleared(&self) -> bool {
        self.occupied.is_some_and(|occupied| occupied.count() < 2)
    }

    pub(super) fn begin(&mut self) {
        self.is_done = false;
        (self.at_start, self.at_ply, self.at_stop) = (self.occupied, self.occupied, None);
        (self.last_by, self.shown_at_stop, self.has_moved_pawn) = (None, None, false);
    }

    /// A ply was completed, by a press or without one.
    pub(super) fn complete(&mut self, by: Color) {
        let pawns = self.at_start.unwrap_or_default() & PAWNS;
        self.has_moved_pawn |= self.occupied.is_some_and(|occupied| (pawns & !occupied).any());
        if self.changed_since_ply().is_none_or(|changed| changed <= BETWEEN_PRESSES_MAX) {
            (self.at_ply, self.last_by) = (self.occupied, Some(by));
        }
    }

    /// Its clock is stopped. Where its pieces were put back before, play would go on from the last ply.
    pub(super) fn stop(&mut self) {
        let is_put_back = self.is_set_up() && self.was_put_back();
        self.at_stop = if is_put_back { self.at_ply } else { self.occupied };
        self.shown_at_stop = self.clock;
    }

    /// The match ends without having been stopped.
    pub(super) fn end(&mut self) {
        self.at_stop = self.at_stop.or(self.at_ply);
    }

    pub(super) fn go_on(&mut self) {
        (self.at_stop, self.shown_at_stop) = (None, None);
    }

    fn changed_since(&self, then: Option<Bitboard>) -> Option<usize> {
        Some((self.occupied? ^ then?).count())
    }

    fn changed_since_ply(&self) -> Option<usize> {
        self.changed_since(self.at_ply)
    }

    /// Whether the pieces are again where they were after the last ply.
    pub(super) fn is_as_played(&self) -> bool {
        self.changed_since_ply() == Some(0)
    }

    /// Whether anything has changed since the last ply.
    pub(super) fn has_changed(&self) -> bool {
        self.changed_since_ply().is_some_and(|changed| changed > 0)
    }

    /// Whether the pieces are where they were when play was stopped, but for a ply or two.
    pub(super) fn is_as_stopped(&self) -> bool {
        self.changed_since(self.at_stop).is_some_and(|changed| changed <= MISPLACED_MAX)
    }

    /// Whether nothing has changed since play was stopped.
    pub(super) fn is_exactly_as_stopped(&self) -> bool {
        self.changed_since(self.at_stop) == Some(0)
    }

    /// Whether pieces were put back, and not moved: more than a ply changes, or a piece of the side that is not to move.
    pub(super) fn was_put_back(&self) -> bool {
        let (Some(changed), Some(occupied), Some(at_ply)) =
            (self.changed_since_ply(), self.occupied, self.at_ply)
        else {
            return false;
        };
        if self.has_moved_pawn && self.shows_its_start() {
            return true;
        }
        let filled = occupied & !at_ply;
        let own = match self.last_by {
            Some(Color::White) => Bitboard::SOUTH,
            Some(Color::Black) => Bitboard::NORTH,
            None => Bitboard::EMPTY,
        };
        changed >= PUT_BACK_MIN || (filled.any() && filled.is_subset(own))
    }

    /// Whether the board is in the initial position, apart from squares that differed when the match began.
    pub(super) fn shows_its_start(&self) -> bool {
        let Some(occupied) = self.occupied else { return false };
        let off = occupied ^ Occupancy::INITIAL.0;
        let at_start = self.at_start.map(|start| start ^ Occupancy::INITIAL.0);
        off.is_empty() || at_start.is_some_and(|start| off.is_subset(start))
    }

    /// Whether squares that differ from the initial position are faults of sensors, or lost pieces, and not play from the start.
    pub(super) fn is_set_up(&self) -> bool {
        let (Some(occupied), true) = (self.occupied, self.is_near_start()) else { return false };
        let (missing, extra) = (Occupancy::INITIAL.0 & !occupied, occupied & !Occupancy::INITIAL.0);
        let was_put_back = self.changed_since_ply().is_some_and(|n| n >= PUT_BACK_NEARLY_MIN);
        let no_move = missing.is_empty() || extra.is_empty();
        self.shows_its_start() || was_put_back || (no_move && self.was_put_back())
    }
}
