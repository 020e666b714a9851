//! Position of one board: pieces, side to move, castling rights and en passant square.
//!
//! Reserves are not part of it. They belong to the players and change with the *other* board, so
//! that one position can be shared by many joint hypotheses.

use std::hash::{Hash, Hasher};

use shakmaty::{Bitboard, Board, ByColor, CastlingSide, Color, File, Piece, Role, Square, attacks};

use crate::CastlingRights;

/// The pieces of one board, not necessarily reached by legal play.
///
/// Two positions are equal (and hash alike) when the same plies from here on do the same: pieces, promoted marks, turn, castling rights
/// and en passant square. The halfmove clock and the move number count the past, so they are carried along but are not compared. A
/// castling right is kept only while king and rook are on the squares it needs. The en passant square is kept only when a pawn of the
/// side to move attacks it. So no difference without consequence makes positions unequal. About 90 bytes; cloning copies them and
/// allocates nothing.
#[derive(Clone, Debug)]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) promoted: Bitboard,
    pub(crate) turn: Color,
    pub(crate) castling_rights: CastlingRights,
    pub(crate) en_passant: Option<Square>,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u16,
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board
            && self.promoted == other.promoted
            && self.turn == other.turn
            && self.castling_rights == other.castling_rights
            && self.en_passant == other.en_passant
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.board.hash(state);
        self.promoted.hash(state);
        self.turn.hash(state);
        self.castling_rights.hash(state);
        self.en_passant.hash(state);
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::initial()
    }
}

impl Position {
    /// The initial position.
    #[must_use]
    pub fn initial() -> Position {
        Position::initial_swapped(false, false)
    }

    /// The initial position with the king and queen of either side swapped by mistake: the king on the d-file, the queen on the e-file.
    /// It becomes final once each side has moved (`us-chess-bughouse-2018 8b`, `8c`).
    #[must_use]
    pub fn initial_swapped(white_swapped: bool, black_swapped: bool) -> Position {
        let mut board = Board::new();
        for (color, swapped) in [(Color::White, white_swapped), (Color::Black, black_swapped)] {
            if swapped {
                let rank = color.backrank();
                board.set_piece_at(Square::from_coords(File::D, rank), color.king());
                board.set_piece_at(Square::from_coords(File::E, rank), color.queen());
            }
        }
        Position::from_board(board, Bitboard::EMPTY, Color::White, CastlingRights::ALL, None)
    }

    /// A position of these pieces. Castling rights that king and rook do not bear out, promoted
    /// marks beside the pieces, and an en passant square that no pawn could use are left out.
    #[must_use]
    pub fn from_board(
        board: Board,
        promoted: Bitboard,
        turn: Color,
        castling_rights: CastlingRights,
        en_passant: Option<Square>,
    ) -> Position {
        let mut position = Position {
            promoted: promoted & board.occupied() & !board.pawns() & !board.kings(),
            board,
            turn,
            castling_rights: CastlingRights::NONE,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        };
        for color in Color::ALL {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                if castling_rights.has(color, side) && position.stands_for_castling(color, side) {
                    position.castling_rights = position.castling_rights.with(color, side);
                }
            }
        }
        position.en_passant = en_passant.filter(|&square| position.can_be_en_passant(square));
        position
    }

    fn stands_for_castling(&self, color: Color, side: CastlingSide) -> bool {
        let corner = match side {
            CastlingSide::KingSide => File::H,
            CastlingSide::QueenSide => File::A,
        };
        let rook = Square::from_coords(corner, color.backrank());
        let king_at_home = self.board.king_of(color).is_some_and(|king| {
            king.rank() == color.backrank() && matches!(king.file(), File::D | File::E)
        });
        king_at_home && self.board.by_piece(color.rook()).contains(rook)
    }

    /// Whether `square` lies behind an enemy pawn that can have come two squares, with a pawn of the
    /// side to move attacking it.
    pub(crate) fn can_be_en_passant(&self, square: Square) -> bool {
        let (own, enemy) = (self.turn, self.turn.other());
        let step = if enemy.is_white() { 8 } else { -8 };
        square.rank() == enemy.relative_rank(shakmaty::Rank::Third)
            && !self.board.occupied().contains(square)
            && square
                .offset(step)
                .is_some_and(|pawn| self.board.by_piece(enemy.pawn()).contains(pawn))
            && (attacks::pawn_attacks(enemy, square) & self.board.by_piece(own.pawn())).any()
    }

    /// The same position with the other counters: halfmoves since the last capture or pawn move, and
    /// the number of the move to come (1 at the start).
    #[must_use]
    pub fn with_counters(mut self, halfmove_clock: u16, fullmove_number: u16) -> Position {
        self.halfmove_clock = halfmove_clock;
        self.fullmove_number = fullmove_number;
        self
    }

    /// The same position with `turn` to move: a hypothesis about play out of turn. Passing the turn
    /// ends the chance to capture en passant.
    #[must_use]
    pub fn with_turn(mut self, turn: Color) -> Position {
        if turn != self.turn {
            self.turn = turn;
            self.en_passant = None;
        }
        self
    }

    /// The pieces.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Squares of promoted pieces, which become pawns again when captured.
    #[must_use]
    pub const fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// The side to move.
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Castling rights.
    #[must_use]
    pub const fn castling_rights(&self) -> CastlingRights {
        self.castling_rights
    }

    /// The square an enemy pawn crossed on the ply before, when a pawn of the side to move attacks
    /// it (whether or not the capture would be legal).
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move. Drops count on, as other programs have it.
    #[must_use]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move to come: 1 at the start, one more after every ply of Black's.
    #[must_use]
    pub const fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The piece on `square`.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.piece_at(square)
    }

    /// The occupied squares.
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// Enemy pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.attackers_of_king(self.turn)
    }

    /// Enemy pieces that attack a side's king, whoever is on move.
    #[must_use]
    pub fn attackers_of_king(&self, side: Color) -> Bitboard {
        self.board.king_of(side).map_or(Bitboard::EMPTY, |king| {
            self.board.attacks_to(king, side.other(), self.board.occupied())
        })
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// Counts of each side's pieces as they would go to a reserve: promoted ones as pawns.
    #[must_use]
    pub fn material(&self) -> ByColor<crate::Reserve> {
        let mut material = ByColor { black: crate::Reserve::EMPTY, white: crate::Reserve::EMPTY };
        for (square, piece) in &self.board {
            let promoted = self.promoted.contains(square);
            material.get_mut(piece.color).add(if promoted { Role::Pawn } else { piece.role });
        }
        material
    }
}
