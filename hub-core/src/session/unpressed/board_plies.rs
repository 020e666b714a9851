//! Plies of one board, found without presses: by whose pieces have changed their squares, and who answered. Pure.

use readings::{Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color, Game, Square};

/// Maximum number of changed squares that one ply and the beginning of the next explain.
const OF_TWO_PLIES_MAX: usize = 6;

/// The plies of one board, from the initial position on.
///
/// Colours are those of the initial position, carried along from square to square. Which ply it was, inference says.
#[derive(Clone, Debug)]
pub(super) struct BoardPlies {
    game: Game,
    /// Occupied squares after the last complete ply, and White's among them; unknown before the first snapshot.
    settled: Option<(Bitboard, Bitboard)>,
    occupied: Bitboard,
    /// Squares that were left and occupied again since.
    refilled: Bitboard,
    /// Last change of a square, match time.
    changed_us: u64,
    last_mover: Option<Color>,
    completed: u32,
    /// Something changed that no ply explains.
    is_unclear: bool,
}

impl BoardPlies {
    pub(super) fn new(game: Game) -> BoardPlies {
        BoardPlies {
            game,
            settled: None,
            occupied: Bitboard::EMPTY,
            refilled: Bitboard::EMPTY,
            changed_us: 0,
            last_mover: None,
            completed: 0,
            is_unclear: false,
        }
    }

    /// Plies that were completed, with the one that only waits for its press.
    pub(super) fn count(&self) -> u32 {
        self.completed + u32::from(self.pending().is_some())
    }

    /// Whether plies explain everything that has changed since the initial position.
    pub(super) fn explains_all(&self) -> bool {
        let explained = |(settled, _): (Bitboard, Bitboard)| {
            (settled ^ self.occupied).count() <= OF_TWO_PLIES_MAX / 2
        };
        !self.is_unclear && self.settled.is_some_and(explained)
    }

    pub(super) fn changed_us(&self) -> u64 {
        self.changed_us
    }

    /// Takes a reading of the squares. Returns the mover whose ply the opponent has answered by it.
    pub(super) fn take(&mut self, t_us: u64, kind: &ReadingKind) -> Option<Color> {
        match kind {
            ReadingKind::Snapshot { occupied: Some(Occupancy(occupied)), .. } => {
                self.occupied = *occupied;
                if self.settled.is_none() {
                    self.settled = Some((*occupied, *occupied & Bitboard::SOUTH));
                }
                None
            }
            &ReadingKind::Square { square, reading, level } => {
                let read = reading.or(level.map(SquareReading::Level))?;
                let is_occupied = read != SquareReading::Empty;
                if self.occupied.contains(square) == is_occupied {
                    return None;
                }
                let answered = self.answered(square, is_occupied);
                if let Some(mover) = answered {
                    self.complete(mover);
                }
                self.occupied.set(square, is_occupied);
                if is_occupied && self.settled.is_some_and(|(settled, _)| settled.contains(square))
                {
                    self.refilled.add(square);
                }
                self.changed_us = t_us;
                self.give_up_if_unclear();
                answered
            }
            _ => None,
        }
    }

    /// Whose ply a change of a square answers.
    fn answered(&mut self, square: Square, is_occupied: bool) -> Option<Color> {
        let (settled, _) = self.settled?;
        let mover = self.pending()?;
        let by_lifting = !is_occupied && self.owner(square, mover) == Some(mover.other());
        // A piece from the reserve, on a square that the pending ply leaves alone.
        let by_dropping = is_occupied && self.game == Game::Bughouse && !settled.contains(square);
        (by_lifting || by_dropping).then_some(mover)
    }

    /// Whose piece stands on a square, if `mover` has made the pending ply.
    fn owner(&self, square: Square, mover: Color) -> Option<Color> {
        let (settled, white) = self.settled?;
        if !settled.contains(square) || self.is_captured(square, mover) {
            return self.occupied.contains(square).then_some(mover);
        }
        Some(if white.contains(square) { Color::White } else { Color::Black })
    }

    /// Whether `mover` has captured on a square: the piece of the other colour was lifted, and something stands there again.
    fn is_captured(&self, square: Square, mover: Color) -> bool {
        let Some((_, white)) = self.settled else { return false };
        self.refilled.contains(square) && white.contains(square) != (mover == Color::White)
    }

    /// The mover of a ply that is complete but for its press.
    pub(super) fn pending(&self) -> Option<Color> {
        let (settled, white) = self.settled?;
        let (left, filled) = (settled & !self.occupied, self.occupied & !settled);
        let of = |color: Color| match color {
            Color::White => left & white,
            Color::Black => left & !white,
        };
        let next = self.last_mover.map_or(Color::White, Color::other);
        let mover = match (of(Color::White).count(), of(Color::Black).count(), filled.count()) {
            // A move, or castling.
            (1, 0, 1) | (2, 0, 2) => Color::White,
            (0, 1, 1) | (0, 2, 2) => Color::Black,
            // A capture: the other's piece was lifted, or it was taken in passing.
            (1, 0, 0) if self.has_captured(Color::White) => Color::White,
            (0, 1, 0) if self.has_captured(Color::Black) => Color::Black,
            (1, 1, 1) => next,
            (0, 0, 1) if self.game == Game::Bughouse => next,
            _ => return None,
        };
        // The rook that castles comes after its king, and belongs to the same ply.
        (Some(mover) != self.last_mover).then_some(mover)
    }

    fn has_captured(&self, mover: Color) -> bool {
        self.refilled
            .into_iter()
            .any(|square| self.occupied.contains(square) && self.is_captured(square, mover))
    }

    /// Completes the pending ply.
    pub(super) fn complete(&mut self, mover: Color) {
        let Some((settled, white)) = self.settled else { return };
        let captured = self.refilled.into_iter().filter(|&at| self.is_captured(at, mover));
        let moved = captured.fold(self.occupied & !settled, |moved, at| moved.with(at));
        let white = match mover {
            Color::White => white | moved,
            Color::Black => white & !moved,
        };
        self.settled = Some((self.occupied, white & self.occupied));
        self.refilled = Bitboard::EMPTY;
        self.last_mover = Some(mover);
        self.completed += 1;
    }

    /// What no ply explains is taken as it is: either side may move next.
    fn give_up_if_unclear(&mut self) {
        let Some((settled, white)) = self.settled else { return };
        let filled = self.occupied & !settled;
        let is_castling_rook = self.last_mover.is_some_and(|last| {
            let left = settled & !self.occupied;
            let own = if last == Color::White { left & white } else { left & !white };
            (left.count(), own.count(), filled.count()) == (1, 1, 1)
        });
        if is_castling_rook {
            let white = if self.last_mover == Some(Color::White) { white | filled } else { white };
            self.settled = Some((self.occupied, white & self.occupied));
        } else if (settled ^ self.occupied).count() > OF_TWO_PLIES_MAX {
            self.settled =
                Some((self.occupied, (white | (filled & Bitboard::SOUTH)) & self.occupied));
            self.refilled = Bitboard::EMPTY;
            self.last_mover = None;
            self.is_unclear = true;
        }
    }
}
