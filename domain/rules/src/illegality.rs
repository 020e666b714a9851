//! Legality of one ply, with the reason, without listing all the others.

use std::fmt;

use shakmaty::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use crate::{Ply, Position, Reserve, Supply, castling::CastlingMove};

/// Reason why a ply is illegal. A ply can be illegal in several ways: the first in this order is given. (In chess every drop is
/// a [`DropInChess`](IllegalReason::DropInChess), whatever else is wrong.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IllegalReason {
    /// There is no piece on the square of departure.
    NoPiece,
    /// The piece belongs to the other side: the opponent's piece was moved, or it was not this side's turn.
    NotYourPiece,
    /// An own piece stands on the target square.
    OwnPieceOnTarget,
    /// The piece does not move like that.
    WrongGeometry,
    /// The piece moves like that, but others stand in its way.
    BlockedPath,
    /// King or rook has moved before, or the rook was captured.
    CastlingRightLost,
    /// A piece stands between king and rook.
    CastlingBlocked,
    /// The king castles while in check.
    CastlingOutOfCheck,
    /// The king castles across an attacked square.
    CastlingThroughCheck,
    /// A pawn stays a pawn on its last rank.
    PromotionMissing,
    /// A piece is promoted that cannot be, or to a wrong role.
    PromotionImpossible,
    /// A king is dropped.
    DropOfKing,
    /// A piece is dropped on another.
    DropOnOccupied,
    /// A pawn is dropped on the first or the last rank.
    PawnDropRank,
    /// The enemy king is captured. As an answer to an illegal ply this is a claim, and wins
    /// (`us-chess-bughouse-2018 15d`).
    KingCaptured,
    /// The own king is in check afterwards.
    KingLeftInCheck,
    /// The dropped piece is not in the reserve: nothing else is wrong with the drop.
    DropNotInReserve,
    /// A piece is dropped in a game without drops.
    DropInChess,
}

impl IllegalReason {
    /// Every reason, in the order of the checks.
    pub const ALL: [IllegalReason; 18] = [
        IllegalReason::NoPiece,
        IllegalReason::NotYourPiece,
        IllegalReason::OwnPieceOnTarget,
        IllegalReason::WrongGeometry,
        IllegalReason::BlockedPath,
        IllegalReason::CastlingRightLost,
        IllegalReason::CastlingBlocked,
        IllegalReason::CastlingOutOfCheck,
        IllegalReason::CastlingThroughCheck,
        IllegalReason::PromotionMissing,
        IllegalReason::PromotionImpossible,
        IllegalReason::DropOfKing,
        IllegalReason::DropOnOccupied,
        IllegalReason::PawnDropRank,
        IllegalReason::KingCaptured,
        IllegalReason::KingLeftInCheck,
        IllegalReason::DropNotInReserve,
        IllegalReason::DropInChess,
    ];

    /// The stable name used in files and messages, such as `king-left-in-check`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            IllegalReason::NoPiece => "no-piece",
            IllegalReason::NotYourPiece => "not-your-piece",
            IllegalReason::OwnPieceOnTarget => "own-piece-on-target",
            IllegalReason::WrongGeometry => "wrong-geometry",
            IllegalReason::BlockedPath => "blocked-path",
            IllegalReason::CastlingRightLost => "castling-right-lost",
            IllegalReason::CastlingBlocked => "castling-blocked",
            IllegalReason::CastlingOutOfCheck => "castling-out-of-check",
            IllegalReason::CastlingThroughCheck => "castling-through-check",
            IllegalReason::PromotionMissing => "promotion-missing",
            IllegalReason::PromotionImpossible => "promotion-impossible",
            IllegalReason::DropOfKing => "drop-of-king",
            IllegalReason::DropOnOccupied => "drop-on-occupied",
            IllegalReason::PawnDropRank => "pawn-drop-rank",
            IllegalReason::KingCaptured => "king-captured",
            IllegalReason::KingLeftInCheck => "king-left-in-check",
            IllegalReason::DropNotInReserve => "drop-not-in-reserve",
            IllegalReason::DropInChess => "drop-in-chess",
        }
    }

    /// The reason in words, as the second half of a sentence about the ply.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        match self {
            IllegalReason::NoPiece => "no piece stands on the square it starts from",
            IllegalReason::NotYourPiece => "the piece belongs to the side that is not to move",
            IllegalReason::OwnPieceOnTarget => "an own piece stands on the target square",
            IllegalReason::WrongGeometry => "the piece does not move that way",
            IllegalReason::BlockedPath => "another piece stands in the way",
            IllegalReason::CastlingRightLost => "king or rook has moved before",
            IllegalReason::CastlingBlocked => "a piece stands between king and rook",
            IllegalReason::CastlingOutOfCheck => "the king is in check and may not castle",
            IllegalReason::CastlingThroughCheck => "the king would cross an attacked square",
            IllegalReason::PromotionMissing => "the pawn on its last rank was not promoted",
            IllegalReason::PromotionImpossible => "this promotion is not possible",
            IllegalReason::DropOfKing => "a king cannot be dropped",
            IllegalReason::DropOnOccupied => "the square of the drop is occupied",
            IllegalReason::PawnDropRank => "a pawn may not be dropped on the first or last rank",
            IllegalReason::KingCaptured => "it captures the king",
            IllegalReason::KingLeftInCheck => "it leaves the own king in check",
            IllegalReason::DropNotInReserve => "the dropped piece is not in the reserve",
            IllegalReason::DropInChess => "no piece may be dropped in chess",
        }
    }
}

/// The [`code`](IllegalReason::code).
impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::str::FromStr for IllegalReason {
    type Err = ParseIllegalReasonError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        IllegalReason::ALL
            .into_iter()
            .find(|reason| reason.code() == text)
            .ok_or_else(|| ParseIllegalReasonError(text.chars().take(32).collect()))
    }
}

/// Text that names no reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no reason for an illegal ply: expected a code such as king-left-in-check")]
pub struct ParseIllegalReasonError(String);

impl Position {
    /// Reason why `ply` is illegal for the side to move with `reserve`; `None` if it is legal.
    ///
    /// Agrees on every ply with the [`legal_plies`](Self::legal_plies) of the supply's [droppable](Supply::droppable) reserve, in the
    /// time of a few table look-ups.
    #[must_use]
    pub fn illegality(&self, ply: Ply, reserve: &Reserve, supply: Supply) -> Option<IllegalReason> {
        match ply {
            Ply::Drop { .. } if supply == Supply::Nobody => Some(IllegalReason::DropInChess),
            Ply::Drop { role, to } => self.drop_illegality(role, to, &supply.droppable(reserve)),
            Ply::Move { from, to, promotion } => {
                let Some(piece) = self.board.piece_at(from) else {
                    return Some(IllegalReason::NoPiece);
                };
                if piece.color != self.turn {
                    return Some(IllegalReason::NotYourPiece);
                }
                self.move_illegality(piece, from, to, promotion)
            }
        }
    }

    /// Whether `ply` is legal for the side to move with `reserve`.
    #[must_use]
    pub fn is_legal(&self, ply: Ply, reserve: &Reserve, supply: Supply) -> bool {
        self.illegality(ply, reserve, supply).is_none()
    }

    fn drop_illegality(&self, role: Role, to: Square, reserve: &Reserve) -> Option<IllegalReason> {
        if role == Role::King {
            return Some(IllegalReason::DropOfKing);
        }
        if self.board.occupied().contains(to) {
            return Some(IllegalReason::DropOnOccupied);
        }
        if role == Role::Pawn && Bitboard::BACKRANKS.contains(to) {
            return Some(IllegalReason::PawnDropRank);
        }
        let occupied = self.board.occupied().with(to);
        if self.king_attacked_in(self.board.king_of(self.turn), occupied, None) {
            return Some(IllegalReason::KingLeftInCheck);
        }
        (reserve.count(role) <= 0).then_some(IllegalReason::DropNotInReserve)
    }

    fn move_illegality(
        &self,
        piece: Piece,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<IllegalReason> {
        if from == to {
            return Some(IllegalReason::WrongGeometry);
        }
        if self.board.by_color(self.turn).contains(to) {
            return Some(IllegalReason::OwnPieceOnTarget);
        }
        if piece.role == Role::King
            && !attacks::king_attacks(from).contains(to)
            && let Some(castling) = CastlingMove::of_squares(self.turn, from, to)
            && (self.castling_with_right(from, to).is_some() || self.rook_in_corner(&castling))
        {
            return self.castling_illegality(from, &castling).or_else(|| no_promotion(promotion));
        }
        self.path_illegality(piece, from, to)
            .or_else(|| self.promotion_illegality(piece, to, promotion))
            .or_else(|| self.safety_illegality(piece, from, to))
    }

    fn rook_in_corner(&self, castling: &CastlingMove) -> bool {
        self.board.by_piece(self.turn.rook()).contains(castling.rook_from)
    }

    fn castling_illegality(&self, from: Square, castling: &CastlingMove) -> Option<IllegalReason> {
        let occupied = self.board.occupied();
        if !self.castling_rights.has(self.turn, castling.side) {
            return Some(IllegalReason::CastlingRightLost);
        }
        if (attacks::between(from, castling.rook_from) & occupied).any() {
            return Some(IllegalReason::CastlingBlocked);
        }
        if self.is_attacked(from, occupied) {
            return Some(IllegalReason::CastlingOutOfCheck);
        }
        if self.is_attacked(castling.rook_to, occupied) {
            return Some(IllegalReason::CastlingThroughCheck);
        }
        self.is_attacked(castling.king_to, occupied).then_some(IllegalReason::KingLeftInCheck)
    }

    fn path_illegality(&self, piece: Piece, from: Square, to: Square) -> Option<IllegalReason> {
        if piece.role == Role::Pawn {
            return self.pawn_path_illegality(piece.color, from, to);
        }
        if attacks::attacks(from, piece, self.board.occupied()).contains(to) {
            return None;
        }
        Some(if attacks::attacks(from, piece, Bitboard::EMPTY).contains(to) {
            IllegalReason::BlockedPath
        } else {
            IllegalReason::WrongGeometry
        })
    }

    fn pawn_path_illegality(
        &self,
        color: Color,
        from: Square,
        to: Square,
    ) -> Option<IllegalReason> {
        if attacks::pawn_attacks(color, from).contains(to) {
            let takes =
                self.board.by_color(color.other()).contains(to) || self.en_passant == Some(to);
            return (!takes).then_some(IllegalReason::WrongGeometry);
        }
        let step = if color.is_white() { 8 } else { -8 };
        let ahead = from.offset(step);
        let second = from.rank() == color.relative_rank(Rank::Second);
        let two_ahead = ahead.and_then(|square| square.offset(step)).filter(|_| second);
        let path = if ahead == Some(to) {
            Bitboard::from_square(to)
        } else if two_ahead == Some(to) {
            Bitboard::from_square(to).with(attacks::between(from, to))
        } else {
            return Some(IllegalReason::WrongGeometry);
        };
        (path & self.board.occupied()).any().then_some(IllegalReason::BlockedPath)
    }

    fn promotion_illegality(
        &self,
        piece: Piece,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<IllegalReason> {
        let must = piece.role == Role::Pawn && to.rank() == piece.color.relative_rank(Rank::Eighth);
        match promotion {
            None => must.then_some(IllegalReason::PromotionMissing),
            Some(Role::King | Role::Pawn) => Some(IllegalReason::PromotionImpossible),
            Some(_) => (!must).then_some(IllegalReason::PromotionImpossible),
        }
    }

    fn safety_illegality(&self, piece: Piece, from: Square, to: Square) -> Option<IllegalReason> {
        if self.board.kings().contains(to) {
            return Some(IllegalReason::KingCaptured);
        }
        let mut occupied = self.board.occupied().without(from).with(to);
        let mut taken = to;
        if piece.role == Role::Pawn && self.en_passant == Some(to) && from.file() != to.file() {
            taken = Square::from_coords(to.file(), from.rank());
            occupied.discard(taken);
        }
        let king = if piece.role == Role::King { Some(to) } else { self.board.king_of(self.turn) };
        self.king_attacked_in(king, occupied, Some(taken)).then_some(IllegalReason::KingLeftInCheck)
    }

    /// Whether an enemy piece other than the one on `taken` would attack `king` with these squares
    /// occupied.
    fn king_attacked_in(
        &self,
        king: Option<Square>,
        occupied: Bitboard,
        taken: Option<Square>,
    ) -> bool {
        king.is_some_and(|king| {
            let attackers = self.board.attacks_to(king, self.turn.other(), occupied);
            match taken {
                Some(square) => attackers.without(square).any(),
                None => attackers.any(),
            }
        })
    }
}

fn no_promotion(promotion: Option<Role>) -> Option<IllegalReason> {
    promotion.map(|_| IllegalReason::PromotionImpossible)
}
