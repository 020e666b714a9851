//! A planned ply, and whether hands can make it.

use rules::{BoardId, Color, Ply, Position, Seat};

use crate::Think;

/// A ply that is going to be made.
#[derive(Clone, Debug)]
pub(crate) struct PlannedPly {
    /// The board.
    pub(crate) board: BoardId,
    /// The player.
    pub(crate) color: Color,
    /// The ply.
    pub(crate) ply: Ply,
    /// Thinking and moving time by the recorded clocks.
    pub(crate) think: Think,
    /// Names the ply's random streams: its place in the recorded game, or past its end for
    /// inserted plies, so that an insertion shifts nobody's draws.
    pub(crate) key: usize,
    /// Whether it is an illegal ply that the profile brought in.
    pub(crate) slip: bool,
}

impl PlannedPly {
    /// Its player.
    pub(crate) const fn seat(&self) -> Seat {
        Seat { board: self.board, color: self.color }
    }
}

/// Whether hands could make the ply at all.
pub(super) fn physical(position: &Position, ply: Ply) -> bool {
    match ply {
        Ply::Move { from, to, .. } => {
            position.piece_at(from).is_some_and(|piece| piece.color == position.turn())
                && position.piece_at(to).is_none_or(|piece| piece.color != position.turn())
        }
        Ply::Drop { to, .. } => position.piece_at(to).is_none(),
    }
}
