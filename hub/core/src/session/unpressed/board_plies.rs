//! Plies of one board, found without presses: from the side whose pieces changed their squares, and from the answer. Pure.

use readings::{Occupancy, ReadingKind, SquareReading};
use rules::{Bitboard, Color, Game, Rank, Square};

use crate::session::life::PAWNS;

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
    /// Squares of it on which a pawn may stand: from the beginning, or dropped.
    pawns: Bitboard,
    occupied: Bitboard,
    /// Squares that were left and occupied again since.
    refilled: Bitboard,
    /// Squares that were empty after it, in the order in which they were occupied.
    filled: Vec<Square>,
    /// The ply that was complete last, should the opponent answer it.
    candidate: Option<Candidate>,
    /// Last change of a square, match time.
    changed_us: u64,
    last_mover: Option<Color>,
    completed: u32,
    /// The squares changed in a way that no ply explains.
    is_unclear: bool,
}

/// A ply that is complete but for its press.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    mover: Color,
    /// Occupied squares after it, and squares that were left and occupied again for it.
    occupied: Bitboard,
    refilled: Bitboard,
}

impl BoardPlies {
    pub(super) fn new(game: Game) -> BoardPlies {
        BoardPlies {
            game,
            settled: None,
            pawns: PAWNS,
            occupied: Bitboard::EMPTY,
            refilled: Bitboard::EMPTY,
            filled: Vec::new(),
            candidate: None,
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

    /// Takes a reading of the squares. Returns the movers whose plies are complete by it.
    pub(super) fn take(&mut self, t_us: u64, kind: &ReadingKind) -> Vec<Color> {
        match kind {
            ReadingKind::Snapshot { occupied: Some(Occupancy(occupied)), .. } => {
                self.occupied = *occupied;
                if self.settled.is_none() {
                    self.settled = Some((*occupied, *occupied & Bitboard::SOUTH));
                }
                vec![]
            }
            &ReadingKind::Square { square, reading, level } => {
                let Some(read) = reading.or(level.map(SquareReading::Level)) else { return vec![] };
                let is_occupied = read != SquareReading::Empty;
                if self.occupied.contains(square) == is_occupied {
                    return vec![];
                }
                self.changed_us = t_us;
                // Something else is lifted: what was put down is complete, and so is the capture before it.
                let captured = if is_occupied { None } else { self.overtaken(true) };
                let answered = self.candidate.filter(|it| self.answers(square, is_occupied, it));
                if let Some(candidate) = answered {
                    self.settle(candidate);
                }
                self.change(square, is_occupied);
                let overtaken = self.overtaken(false);
                captured.into_iter().chain(answered.map(|it| it.mover)).chain(overtaken).collect()
            }
            _ => vec![],
        }
    }

    fn change(&mut self, square: Square, is_occupied: bool) {
        self.occupied.set(square, is_occupied);
        let was_settled = self.settled.is_some_and(|(settled, _)| settled.contains(square));
        match (is_occupied, was_settled) {
            (true, true) => self.refilled.add(square),
            (true, false) => self.filled.push(square),
            (false, _) => self.filled.retain(|&other| other != square),
        }
        if let Some(mover) = self.pending() {
            let (occupied, refilled) = (self.occupied, self.refilled);
            self.candidate = Some(Candidate { mover, occupied, refilled });
        }
        self.give_up_if_unclear();
    }

    /// Whether a change of a square answers a ply: a piece of the other colour is lifted, or dropped.
    fn answers(&self, square: Square, is_occupied: bool, ply: &Candidate) -> bool {
        let Some((settled, white)) = self.settled else { return false };
        if is_occupied {
            let is_drop = self.game == Game::Bughouse && self.pending().is_some();
            return is_drop && !settled.contains(square);
        }
        let own = white.contains(square) == (ply.mover == Color::White);
        let is_taken =
            ply.captures(square, white) || ply.takes_in_passing(square, settled, self.pawns);
        settled.contains(square) && !own && !is_taken
    }

    /// Both sides have moved, and the first ply was not seen to be complete: the second player lifted a piece before the first had put one
    /// down, or a piece was captured faster than the board is read. `is_lifted`: another piece is lifted now. Returns the first.
    fn overtaken(&mut self, is_lifted: bool) -> Option<Color> {
        let (settled, white) = self.settled?;
        let left = settled & !self.occupied;
        let mover = self.next();
        let of = |color: Color, squares: Bitboard| match color {
            Color::White => squares & white,
            Color::Black => squares & !white,
        };
        let own = of(mover, left);
        if (left.count(), own.count()) != (2, 1) {
            return None;
        }
        let others = left & !own;
        let refilled = self.refilled & self.occupied;
        let (occupied, captured) = match (self.filled.as_slice(), refilled.count()) {
            // Two moves.
            (&[first, _], 0) => (settled.without(own).with(first), Bitboard::EMPTY),
            // A capture that was not seen, and a move.
            (&[to], 0)
                if is_lifted && !self.is_en_passant(own, others, Bitboard::from_square(to)) =>
            {
                (settled.without(own), Bitboard::EMPTY)
            }
            // A capture that was not seen, and one on the same square.
            (&[], 1) if of(mover.other(), refilled) == refilled => (settled.without(own), refilled),
            _ => return None,
        };
        let now = self.occupied;
        self.settle(Candidate { mover, occupied, refilled: captured });
        self.occupied = occupied;
        self.filled.clear();
        for square in (occupied & !now).into_iter().chain(captured) {
            self.change(square, false);
        }
        for square in (now & !occupied).into_iter().chain(captured) {
            self.change(square, true);
        }
        Some(mover)
    }

    /// The side to move next, if every ply was seen.
    fn next(&self) -> Color {
        self.last_mover.map_or(Color::White, Color::other)
    }

    /// The mover of a ply that is complete but for its press.
    pub(super) fn pending(&self) -> Option<Color> {
        let (settled, white) = self.settled?;
        let (left, filled) = (settled & !self.occupied, self.occupied & !settled);
        let of = |color: Color| match color {
            Color::White => left & white,
            Color::Black => left & !white,
        };
        let next = self.next();
        let mover = match (of(Color::White).count(), of(Color::Black).count(), filled.count()) {
            // A move, or castling.
            (1, 0, 1) | (2, 0, 2) => Color::White,
            (0, 1, 1) | (0, 2, 2) => Color::Black,
            // A capture: the other's piece was lifted, or it was taken in passing.
            (1, 0, 0) if self.has_captured(Color::White) => Color::White,
            (0, 1, 0) if self.has_captured(Color::Black) => Color::Black,
            (1, 1, 1) if self.is_en_passant(of(next), of(next.other()), filled) => next,
            (0, 0, 1) if self.game == Game::Bughouse => next,
            _ => return None,
        };
        // The rook that castles comes after its king, and belongs to the same ply.
        (Some(mover) != self.last_mover).then_some(mover)
    }

    /// Whether `mover` has captured: a piece of the other colour was lifted, and something stands there again.
    fn has_captured(&self, mover: Color) -> bool {
        let Some((_, white)) = self.settled else { return false };
        let ply = Candidate { mover, occupied: self.occupied, refilled: self.refilled };
        self.refilled
            .into_iter()
            .any(|square| self.occupied.contains(square) && ply.captures(square, white))
    }

    /// Whether a pawn that left `from` captures in passing.
    fn is_en_passant(&self, from: Bitboard, captured: Bitboard, to: Bitboard) -> bool {
        let are_pawns = (from | captured).is_subset(self.pawns);
        let squares = from.first().zip(captured.first()).zip(to.first());
        squares.is_some_and(|((from, captured), to)| {
            are_pawns && captured.rank() == from.rank() && captured.file() == to.file()
        })
    }

    /// Completes the pending ply by stillness.
    pub(super) fn complete(&mut self) {
        if let Some(mover) = self.pending() {
            let (occupied, refilled) = (self.occupied, self.refilled);
            self.settle(Candidate { mover, occupied, refilled });
        }
    }

    /// A ply is complete.
    fn settle(&mut self, ply: Candidate) {
        let Some((settled, white)) = self.settled else { return };
        let captured = ply.refilled.into_iter().filter(|&at| ply.captures(at, white));
        let moved = captured.fold(ply.occupied & !settled, |moved, at| moved.with(at));
        let white = match ply.mover {
            Color::White => white | moved,
            Color::Black => white & !moved,
        };
        let left = settled & !ply.occupied;
        let is_of_pawn = left.is_empty() || (left & self.pawns).any();
        let moved = if is_of_pawn { moved } else { Bitboard::EMPTY };
        self.pawns = (self.pawns & ply.occupied & !ply.refilled) | moved;
        self.settled = Some((ply.occupied, white & ply.occupied));
        self.refilled = Bitboard::EMPTY;
        self.filled = (self.occupied & !ply.occupied).into_iter().collect();
        self.candidate = None;
        self.last_mover = Some(ply.mover);
        self.completed += 1;
    }

    /// A change that no ply explains is accepted: either side may move next.
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
            (self.candidate, self.refilled) = (None, Bitboard::EMPTY);
            self.filled.clear();
        } else if (settled ^ self.occupied).count() > OF_TWO_PLIES_MAX {
            self.settled =
                Some((self.occupied, (white | (filled & Bitboard::SOUTH)) & self.occupied));
            self.pawns |= filled;
            self.refilled = Bitboard::EMPTY;
            self.filled.clear();
            self.candidate = None;
            self.last_mover = None;
            self.is_unclear = true;
        }
    }
}

impl Candidate {
    /// Whether what is lifted from `square` may be the pawn that this ply takes in passing, after the pawn that takes it has moved.
    fn takes_in_passing(&self, square: Square, settled: Bitboard, pawns: Bitboard) -> bool {
        let (left, filled) = (settled & !self.occupied, self.occupied & !settled);
        let (Some(from), Some(to)) = (left.first(), filled.first()) else { return false };
        let ranks = match self.mover {
            Color::White => (Rank::Fifth, Rank::Sixth),
            Color::Black => (Rank::Fourth, Rank::Third),
        };
        (left.count(), filled.count()) == (1, 1)
            && (from.rank(), to.rank()) == ranks
            && from.file().distance(to.file()) == 1
            && pawns.contains(from)
            && pawns.contains(square)
            && (square.rank(), square.file()) == (from.rank(), to.file())
    }

    /// Whether the ply captures on a square.
    fn captures(&self, square: Square, white: Bitboard) -> bool {
        self.refilled.contains(square) && white.contains(square) != (self.mover == Color::White)
    }
}
