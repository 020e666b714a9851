//! A ply in the position it is made in, and which pieces it physically puts down.

use rules::{Bitboard, Piece, Ply, Position, Role, Square};

use crate::contact::{Act, Change};

/// A ply in the position it is made in.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    /// Before the ply.
    pub(crate) before: &'a Position,
    /// The ply.
    pub(crate) ply: Ply,
    /// Square on which it captures, if it does.
    pub(crate) victim: Option<Square>,
    /// The rook's way, if it is castling.
    pub(crate) rook: Option<(Square, Square)>,
    /// Whether a pawn becomes another piece.
    pub(crate) promotes: bool,
    /// Pieces that lie on their sides, unseen by the sensor.
    pub(crate) lying: Bitboard,
    /// Promoted pieces for which the pawn still stands or lies.
    pub(crate) pawns: Bitboard,
    /// Whether a pawn that promotes now stays the pawn it is.
    pub(crate) stays_pawn: bool,
}

impl Situation<'_> {
    /// Physical piece on a square before the ply.
    pub(crate) fn standing(&self, square: Square) -> Option<Piece> {
        let piece = self.before.piece_at(square)?;
        let role = if self.pawns.contains(square) { Role::Pawn } else { piece.role };
        Some(Piece { role, ..piece })
    }

    /// Physical piece that moves or is dropped, and its identity on arrival.
    fn arriving(&self) -> Option<Piece> {
        match self.ply {
            Ply::Drop { role, .. } => Some(Piece { color: self.before.turn(), role }),
            Ply::Move { from, promotion, .. } => {
                let piece = self.standing(from)?;
                let promoted = promotion.filter(|_| self.promotes && !self.stays_pawn);
                Some(Piece { role: promoted.unwrap_or(piece.role), ..piece })
            }
        }
    }

    /// Notes for everything that is put down which piece it is, where that is not noted yet.
    pub(crate) fn name_pieces(&self, acts: &mut [Act]) {
        let from = self.ply.from();
        for act in acts.iter_mut().filter(|act| act.piece.is_none() && act.change != Change::Lift) {
            act.piece = if act.square == self.ply.to() {
                self.arriving()
            } else if let Some((rook_from, _)) = self.rook.filter(|way| way.1 == act.square) {
                self.standing(rook_from)
            } else {
                self.standing(act.square).or_else(|| self.standing(from?))
            };
        }
    }
}
