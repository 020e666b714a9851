//! Effect of a ply on the pieces, legal or not.
//!
//! Over the board an illegal ply stands unless it is claimed (`us-chess-bughouse-2018 8a`), and the
//! match goes on from it. So applying a ply never fails: it does what hands would have done.

use shakmaty::{Bitboard, CastlingSide, Color, Piece, Rank, Role, Square};

use crate::{CastlingRights, PROMOTION_ROLES, Ply, Position, Supply, castling::CastlingMove};

/// Effects of a ply besides moving one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Played {
    /// The piece taken off the board.
    pub captured: Option<Captured>,
    /// The rook's squares, from and to, when the ply was castling.
    pub castling_rook: Option<(Square, Square)>,
    /// Whether the captured pawn stood beside the target square.
    pub en_passant: bool,
    /// Whether a pawn became another piece.
    pub promoted: bool,
}

/// A piece taken off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Captured {
    /// The piece as it was on the board. It has the mover's own colour after an illegal ply onto an own piece.
    pub piece: Piece,
    /// The square it was on.
    pub square: Square,
    /// Role that arrives in a reserve: a promoted piece reverts to a pawn, a king is dropped. Nothing in chess.
    pub role_to_reserve: Option<Role>,
}

impl Position {
    /// Applies a ply of bughouse as hands do, legal or not, and passes the turn.
    ///
    /// The piece on the square of departure, of either side, goes to the target. A piece on the target is taken off, a king or an own piece
    /// included. With nothing on the square of departure no piece moves. A pawn reaching its last rank becomes the piece stated, and
    /// stays a pawn if none is. A promotion stated for any other piece, or to a king or pawn, is ignored. A king that goes two squares
    /// from the d- or e-file of its back rank castles, even when it was no longer allowed. It needs its rook in that corner and both
    /// target squares free; otherwise it moves alone. A drop puts down a new piece; taking it from the reserve is up to the caller
    /// ([`Match`](crate::Match) does it).
    pub fn play(&mut self, ply: Ply) -> Played {
        let mut played = Played::default();
        let en_passant = self.en_passant.take();
        let mut irreversible = false;
        match ply {
            Ply::Drop { role, to } => {
                played.captured = self.take_off(to);
                self.board.set_piece_at(to, role.of(self.turn));
            }
            Ply::Move { from, to, promotion } => {
                if let Some(piece) = self.board.piece_at(from) {
                    irreversible = piece.role == Role::Pawn;
                    self.carry(piece, from, to, promotion, en_passant, &mut played);
                }
            }
        }
        self.pass_turn(irreversible || played.captured.is_some());
        if let Ply::Move { from, to, .. } = ply {
            self.set_en_passant(from, to);
        }
        played
    }

    /// Applies a ply as [`play`](Self::play) does, with droppable pieces from `supply`: in chess a
    /// promoted piece is that piece for good, and what is captured arrives nowhere.
    pub fn play_with(&mut self, ply: Ply, supply: Supply) -> Played {
        let mut played = self.play(ply);
        if !supply.has_partner() {
            self.promoted = Bitboard::EMPTY;
            if let Some(captured) = &mut played.captured {
                captured.role_to_reserve = None;
            }
        }
        played
    }

    fn carry(
        &mut self,
        piece: Piece,
        from: Square,
        to: Square,
        promotion: Option<Role>,
        en_passant: Option<Square>,
        played: &mut Played,
    ) {
        let castling = (piece.role == Role::King)
            .then(|| CastlingMove::of_squares(piece.color, from, to))
            .flatten()
            .filter(|castling| self.hands_can_castle(piece.color, castling));
        let was_promoted = self.promoted.contains(from);
        self.board.discard_piece_at(from);
        self.promoted.discard(from);
        self.castling_rights = self.castling_rights.without_corner(from);
        if from != to {
            played.captured = self.take_off(to);
        }
        let last_rank = piece.color.relative_rank(Rank::Eighth);
        let promotion = promotion
            .filter(|_| piece.role == Role::Pawn && to.rank() == last_rank)
            .filter(|role| PROMOTION_ROLES.contains(role));
        played.promoted = promotion.is_some();
        self.board.set_piece_at(to, promotion.unwrap_or(piece.role).of(piece.color));
        if was_promoted || played.promoted {
            self.promoted.add(to);
        }
        if piece.role == Role::King {
            self.castling_rights = self.castling_rights.without_color(piece.color);
        }
        if let Some(castling) = castling {
            self.board.discard_piece_at(castling.rook_from);
            self.board.set_piece_at(castling.rook_to, piece.color.rook());
            if self.promoted.remove(castling.rook_from) {
                self.promoted.add(castling.rook_to);
            }
            played.castling_rook = Some((castling.rook_from, castling.rook_to));
        }
        if piece == self.turn.pawn() && en_passant == Some(to) && from.file() != to.file() {
            // The pawn taken in passing stands on the file of the target and the rank of departure.
            played.captured = self.take_off(Square::from_coords(to.file(), from.rank()));
            played.en_passant = true;
        }
    }

    fn hands_can_castle(&self, color: Color, castling: &CastlingMove) -> bool {
        let occupied = self.board.occupied();
        self.board.by_piece(color.rook()).contains(castling.rook_from)
            && !occupied.contains(castling.king_to)
            && !occupied.contains(castling.rook_to)
    }

    fn take_off(&mut self, square: Square) -> Option<Captured> {
        let piece = self.board.remove_piece_at(square)?;
        self.castling_rights = self.castling_rights.without_corner(square);
        if piece.role == Role::King {
            self.castling_rights = self.castling_rights.without_color(piece.color);
        }
        let role = if self.promoted.remove(square) { Role::Pawn } else { piece.role };
        let role_to_reserve = (role != Role::King).then_some(role);
        Some(Captured { piece, square, role_to_reserve })
    }

    fn pass_turn(&mut self, irreversible: bool) {
        self.halfmove_clock = if irreversible { 0 } else { self.halfmove_clock.saturating_add(1) };
        if self.turn.is_black() {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
        self.turn = self.turn.other();
    }

    /// After a pawn has gone two squares: the turn has passed already.
    fn set_en_passant(&mut self, from: Square, to: Square) {
        let mover = self.turn.other();
        if from.file() == to.file()
            && from.rank() == mover.relative_rank(Rank::Second)
            && to.rank() == mover.relative_rank(Rank::Fourth)
            && self.board.by_piece(mover.pawn()).contains(to)
        {
            let crossed = Square::from_coords(to.file(), mover.relative_rank(Rank::Third));
            self.en_passant = Some(crossed).filter(|&square| self.can_be_en_passant(square));
        }
    }

    /// The castling that `ply` is, when the side to move has the right to it and it is a king's move.
    pub(crate) fn castling_with_right(&self, from: Square, to: Square) -> Option<CastlingMove> {
        CastlingMove::of_squares(self.turn, from, to)
            .filter(|castling| self.castling_rights.has(self.turn, castling.side))
    }

    /// The sides `turn` may still castle to, with their squares.
    pub(crate) fn castling_moves(&self, king: Square) -> impl Iterator<Item = CastlingMove> {
        let (turn, rights): (Color, CastlingRights) = (self.turn, self.castling_rights);
        [CastlingSide::KingSide, CastlingSide::QueenSide]
            .into_iter()
            .filter(move |&side| rights.has(turn, side))
            .filter_map(move |side| CastlingMove::new(turn, king, side))
    }
}
