//! The pieces of one side as they were set up.

use rules::{Bitboard, Board, CastlingRights, Color, File, Piece, Position, Role, Square};
use shakmaty::attacks;

/// The pieces of one side before the first ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BackRank {
    /// The roles on the back rank, from the a-file on.
    pub(crate) roles: [Role; 8],
    /// Squares of both home ranks without a piece.
    pub(crate) missing: Bitboard,
    /// A piece too many.
    pub(crate) extra: Option<(Square, Role)>,
}

impl Default for BackRank {
    fn default() -> BackRank {
        use Role::{Bishop, King, Knight, Queen, Rook};
        BackRank {
            roles: [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook],
            missing: Bitboard::EMPTY,
            extra: None,
        }
    }
}

impl BackRank {
    /// King and queen on each other's squares.
    pub(crate) fn king_and_queen_swapped() -> BackRank {
        BackRank::default().exchanged(3, 4)
    }

    /// The same with the pieces of two files exchanged.
    pub(crate) fn exchanged(mut self, file: usize, other: usize) -> BackRank {
        self.roles.swap(file, other);
        self
    }

    /// The files on which another piece stands than usual.
    pub(crate) fn odd_files(self) -> impl Iterator<Item = usize> {
        let usual = BackRank::default();
        (0..8).filter(move |&file| self.roles[file] != usual.roles[file])
    }

    /// The back ranks, two pieces exchanged on this wing or on both, with which a piece of `color`
    /// from a home square can go from one square to another, the board being empty. The piece with
    /// which it was exchanged stands as near as possible.
    pub(crate) fn explaining(
        self,
        color: Color,
        home: Square,
        (from, to): (Square, Square),
    ) -> Vec<BackRank> {
        if home.rank() != color.backrank() {
            return Vec::new();
        }
        let file = home.file() as usize;
        let goes = |role: Role| {
            attacks::attacks(from, Piece { color, role }, Bitboard::EMPTY).contains(to)
        };
        let mut others: Vec<usize> =
            (0..8).filter(|&other| self.roles[other] != self.roles[file]).collect();
        others.sort_by_key(|other| other.abs_diff(file));
        let mut tried: Vec<Role> = vec![self.roles[file]];
        let mut found = Vec::new();
        for other in others {
            let role = self.roles[other];
            if tried.contains(&role) || !goes(role) {
                continue;
            }
            tried.push(role);
            let one_wing = self.exchanged(file, other);
            found.push(one_wing);
            let mirrored = [7 - file, 7 - other];
            if mirrored.iter().all(|of| ![file, other].contains(of))
                && self.roles[mirrored[0]] == self.roles[file]
                && self.roles[mirrored[1]] == role
            {
                found.push(one_wing.exchanged(mirrored[0], mirrored[1]));
            }
        }
        found
    }
}

/// The initial position with these back ranks.
pub(crate) fn position(ranks: [BackRank; 2]) -> Position {
    let mut board = Board::new();
    for (color, rank) in Color::ALL.into_iter().zip(ranks) {
        for (file, role) in File::ALL.into_iter().zip(rank.roles) {
            board.set_piece_at(Square::from_coords(file, color.backrank()), Piece { color, role });
        }
        rank.missing.into_iter().for_each(|square| board.discard_piece_at(square));
        if let Some((square, role)) = rank.extra {
            board.set_piece_at(square, Piece { color, role });
        }
    }
    Position::from_board(board, Bitboard::EMPTY, Color::White, CastlingRights::ALL, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_and_swapped_back_ranks_are_the_known_positions() {
        let (usual, swapped) = (BackRank::default(), BackRank::king_and_queen_swapped());
        assert_eq!(position([usual, usual]), Position::initial());
        assert_eq!(position([swapped, usual]), Position::initial_swapped(true, false));
    }

    #[test]
    fn missing_and_extra_pieces_are_those_of_the_position() {
        let usual = BackRank::default();
        let white = BackRank { extra: Some((Square::H3, Role::Pawn)), ..usual };
        let black = BackRank { missing: Bitboard::from_square(Square::G8), ..usual };
        let set_up = position([white, black]);
        let read = Position::initial().occupied().without(Square::G8).with(Square::H3);
        assert_eq!(set_up.occupied(), read);
        assert_eq!(set_up.piece_at(Square::H3), Some(Color::White.pawn()));
    }

    #[test]
    fn knight_move_of_a_bishop_is_explained_by_the_knight_beside_it() {
        let usual = BackRank::default();
        let found = usual.explaining(Color::White, Square::F1, (Square::F1, Square::G3));
        let both = usual.exchanged(5, 6).exchanged(1, 2);
        assert_eq!(found, [usual.exchanged(5, 6), both]);
        assert_eq!(usual.explaining(Color::White, Square::F3, (Square::F3, Square::G5)), []);
        let queen = usual.explaining(Color::Black, Square::B8, (Square::B8, Square::B5));
        assert_eq!(queen[0], usual.exchanged(1, 0), "a rook");
    }
}
