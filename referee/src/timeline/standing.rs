//! Both boards at a moment, and which ply made each piece what it is.

use rules::{BoardId, Captured, Match, Played, Ply, Square};

use crate::PlyReport;

/// No ply put this piece there.
const NOBODY: u16 = u16::MAX;

/// Both boards after a ply, and which ply dropped or promoted each piece that stands on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Positions and reserves.
    pub boards: Match,
    /// For each board and square: position in the timeline of the drop or promotion that made this
    /// piece what it is.
    origins: [[u16; 64]; 2],
}

impl Standing {
    pub(super) fn new(boards: Match) -> Standing {
        Standing { boards, origins: [[NOBODY; 64]; 2] }
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

    /// Puts up on one board what stood there at another moment.
    pub(super) fn put_up(&mut self, board: BoardId, other: &Standing) {
        *self.boards.position_mut(board) = other.boards.position(board).clone();
        self.origins[board.index()] = other.origins[board.index()];
    }
}
