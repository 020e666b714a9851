//! Both boards at a moment, and which ply made each piece what it is.

use rules::{
    BoardId, Captured, Color, Match, Piece, Played, Ply, RESERVE_ROLES, Seat, Square, Supply,
};

use crate::PlyReport;

/// No ply put this piece there.
const NOBODY: u16 = u16::MAX;

/// Both boards after a ply, and which ply dropped or promoted each piece that stands on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSnapshot {
    /// Positions and reserves.
    pub boards: Match,
    /// For each board and square: position in the timeline of the drop or promotion that made this
    /// piece what it is.
    origins: [[u16; 64]; 2],
}

impl BoardSnapshot {
    pub(super) fn new(boards: Match) -> BoardSnapshot {
        BoardSnapshot { boards, origins: [[NOBODY; 64]; 2] }
    }

    /// The drops and promotions whose piece still stands on a board: square and position in the
    /// timeline.
    pub fn placed(&self, board: BoardId) -> impl Iterator<Item = (Square, usize)> + '_ {
        let origins = &self.origins[board.index()];
        let placed = Square::ALL.into_iter().zip(origins);
        placed
            .filter(|&(_, &origin)| origin != NOBODY)
            .map(|(square, &origin)| (square, usize::from(origin)))
    }

    pub(super) fn play(&mut self, index: usize, report: &PlyReport) -> Option<Captured> {
        let played: Played = self.boards.play(report.board, report.ply);
        let origins = &mut self.origins[report.board.index()];
        if let Some(captured) = played.captured {
            origins[usize::from(captured.square)] = NOBODY;
        }
        let here = u16::try_from(index).unwrap_or(NOBODY);
        match report.ply {
            Ply::Drop { to, .. } => origins[usize::from(to)] = here,
            Ply::Move { from, to, .. } => {
                let moved = std::mem::replace(&mut origins[usize::from(from)], NOBODY);
                origins[usize::from(to)] = if played.promoted { here } else { moved };
            }
        }
        if let Some((from, to)) = played.castling_rook {
            origins[usize::from(to)] = std::mem::replace(&mut origins[usize::from(from)], NOBODY);
        }
        played.captured
    }

    /// Puts up on one board what stood there at another moment, since which `dropped` pieces were put on it. Captured pieces
    /// come back from the partner, and dropped ones go back to their owner, so that no piece is lost or doubled.
    pub(super) fn put_up(&mut self, board: BoardId, other: &BoardSnapshot, dropped: &[Piece]) {
        if self.boards.supply() == Supply::Partner {
            self.give_back(board, other, dropped);
        }
        *self.boards.position_mut(board) = other.boards.position(board).clone();
        self.origins[board.index()] = other.origins[board.index()];
    }

    fn give_back(&mut self, board: BoardId, other: &BoardSnapshot, dropped: &[Piece]) {
        let (now, then) =
            (self.boards.position(board).material(), other.boards.position(board).material());
        for color in Color::ALL {
            for role in RESERVE_ROLES {
                let put_on =
                    dropped.iter().filter(|piece| **piece == Piece { color, role }).count();
                let gained = then.get(color).count(role) - now.get(color).count(role);
                let taken = i32::from(gained) + put_on as i32;
                let own = self.boards.reserve_mut(Seat { board, color });
                (0..put_on).for_each(|_| own.add(role));
                let partners = self.boards.reserve_mut(Seat { board: board.other(), color });
                (0..taken).for_each(|_| partners.take(role));
                (taken..0).for_each(|_| partners.add(role));
            }
        }
    }
}
