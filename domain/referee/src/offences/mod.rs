//! Offences that a ply commits: what findings report and claims are judged by.

pub(crate) mod illegality;

use rules::{Color, IllegalReason, Piece, Ply, Rank, Role};

use crate::timeline::TimedPly;

/// Whether the ply put its king beside the other king.
pub(crate) fn is_beside_king(ply: &TimedPly) -> bool {
    let position = ply.after.boards.position(ply.report.board);
    let Ply::Move { to, .. } = ply.report.ply else { return false };
    let is_king = position
        .piece_at(to)
        .is_some_and(|piece| piece.role == Role::King && piece.color == ply.report.side);
    let other = position.board().king_of(ply.report.side.other());
    is_king && other.is_some_and(|other| to.distance(other) == 1)
}

/// Whether the ply left a pawn on its last rank.
pub(crate) fn leaves_pawn_on_last_rank(ply: &TimedPly) -> bool {
    let Ply::Move { to, .. } = ply.report.ply else { return false };
    let last = match ply.report.side {
        Color::White => Rank::Eighth,
        Color::Black => Rank::First,
    };
    let piece = ply.after.boards.position(ply.report.board).piece_at(to);
    ply.illegal == Some(IllegalReason::PromotionMissing)
        || to.rank() == last && piece == Some(Piece { role: Role::Pawn, color: ply.report.side })
}
