//! Mating material and dead positions.
//!
//! Two questions with two answers. A position is *dead* when no series of legal moves leads to mate: the game is over. *Mating
//! material* is the material that blitz books demand of a player who claims a win on time: a list of pieces, whatever the opponent has.

use shakmaty::{Bitboard, Color};

use crate::Position;

/// Rule of a book for two knights against a bare king as mating material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TwoKnights {
    /// Two minor pieces like any others.
    Suffice,
    /// Not sufficient against a bare king.
    DoNotSuffice,
}

impl Position {
    /// Whether neither side can mate with any series of legal moves, judged by material alone: the
    /// position is dead. Dead positions with blocked pawns are not found.
    #[must_use]
    pub fn has_dead_material(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.has_insufficient_material(color))
    }

    /// Whether `color` cannot mate with any series of legal moves, judged by material alone.
    ///
    /// A knight or bishops of one square colour need a piece of the opponent's that can stand in
    /// its own king's way. A pawn may become such a piece.
    #[must_use]
    pub fn has_insufficient_material(&self, color: Color) -> bool {
        let board = &self.board;
        let (own, other) = (board.by_color(color), board.by_color(color.other()));
        if (own & (board.pawns() | board.rooks_and_queens())).any() {
            return false;
        }
        if (own & board.knights()).any() {
            let helpers = other & !board.kings() & !board.queens();
            return own.count() <= 2 && helpers.is_empty();
        }
        if (own & board.bishops()).any() {
            return bishops_of_one_color(board.bishops())
                && board.pawns().is_empty()
                && board.knights().is_empty();
        }
        true
    }

    /// Whether `color` has mating material in the sense of blitz books: a pawn, a rook, a queen or two minor
    /// pieces. A lone minor piece is none, even where the opponent could be mated by a trick.
    #[must_use]
    pub fn has_mating_material(&self, color: Color, two_knights: TwoKnights) -> bool {
        let board = &self.board;
        let (own, other) = (board.by_color(color), board.by_color(color.other()));
        if (own & (board.pawns() | board.rooks_and_queens())).any() {
            return true;
        }
        let minors = own & (board.knights() | board.bishops());
        let knights_against_king = minors.count() == 2
            && (minors & !board.knights()).is_empty()
            && (other & !board.kings()).is_empty();
        minors.count() >= 2 && !(knights_against_king && two_knights == TwoKnights::DoNotSuffice)
    }
}

fn bishops_of_one_color(bishops: Bitboard) -> bool {
    (bishops & Bitboard::DARK_SQUARES).is_empty() || (bishops & Bitboard::LIGHT_SQUARES).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen;

    fn position(placement: &str) -> Position {
        fen::parse_board(&format!("{placement} w - - 0 1")).expect("a board").position
    }

    #[test]
    fn bare_kings_and_lone_minor_pieces_are_dead() {
        for placement in ["4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4KB2", "4kn2/8/8/8/8/8/8/4K3"] {
            assert!(position(placement).has_dead_material(), "{placement}");
        }
    }

    #[test]
    fn bishops_of_one_square_color_are_dead_and_of_two_are_not() {
        assert!(position("2b1k3/8/8/8/8/8/8/4KB2").has_dead_material());
        assert!(!position("4kb2/8/8/8/8/8/8/4KB2").has_dead_material());
    }

    #[test]
    fn knight_mates_only_with_the_help_of_an_enemy_piece() {
        let against_queen = position("3qk3/8/8/8/8/8/8/4KN2");
        assert!(against_queen.has_insufficient_material(Color::White));
        assert!(!against_queen.has_insufficient_material(Color::Black));
        let against_rook = position("3rk3/8/8/8/8/8/8/4KN2");
        assert!(!against_rook.has_insufficient_material(Color::White));
    }

    #[test]
    fn mating_material_is_a_pawn_a_rook_a_queen_or_two_minor_pieces() {
        let white =
            |placement| position(placement).has_mating_material(Color::White, TwoKnights::Suffice);
        for placement in [
            "4k3/8/8/8/8/8/P7/4K3",
            "4k3/8/8/8/8/8/8/R3K3",
            "4k3/8/8/8/8/8/8/3QK3",
            "4k3/8/8/8/8/8/8/4KBN1",
            "4k3/8/8/8/8/8/8/4KNN1",
        ] {
            assert!(white(placement), "{placement}");
        }
        for placement in ["4k3/8/8/8/8/8/8/4K3", "4k3/p7/8/8/8/8/8/4KN2", "4kr2/8/8/8/8/8/8/4KB2"] {
            assert!(!white(placement), "{placement}");
        }
    }

    #[test]
    fn two_knights_fail_against_a_bare_king_only_and_only_in_books_that_say_so() {
        let white = |placement, two_knights| {
            position(placement).has_mating_material(Color::White, two_knights)
        };
        let bare = "4k3/8/8/8/8/8/8/4KNN1";
        assert!(white(bare, TwoKnights::Suffice));
        assert!(!white(bare, TwoKnights::DoNotSuffice));
        assert!(white("4k3/p7/8/8/8/8/8/4KNN1", TwoKnights::DoNotSuffice));
        assert!(white("4k3/8/8/8/8/8/8/4KBN1", TwoKnights::DoNotSuffice));
        assert!(white("4k3/8/8/8/8/8/8/3NKNN1", TwoKnights::DoNotSuffice));
    }
}
