//! Counts and sets of pieces, from which clues are made.

use rules::{Bitboard, Role};

use crate::learnt::maps::Maps;

/// Index of a role, pawn to king: 0 to 5.
pub(super) fn index(role: Role) -> usize {
    usize::from(role) - 1
}

/// Number of squares, 2 for more. A full count takes much longer on machines without an instruction for it.
#[inline]
pub(super) fn up_to_two(squares: Bitboard) -> usize {
    usize::from(squares.any()) + usize::from(squares.more_than_one())
}

/// Number of squares, 3 for more.
#[inline]
pub(super) fn up_to_three(squares: Bitboard) -> usize {
    let but_lowest = Bitboard(squares.0 & squares.0.wrapping_sub(1));
    usize::from(squares.any()) + up_to_two(but_lowest)
}

/// The most valuable of some pieces, without kings: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen.
#[inline]
pub(super) fn most_valuable(maps: &Maps<'_>, pieces: Bitboard) -> usize {
    if pieces.is_empty() {
        return 0;
    }
    let board = maps.position.board();
    let kinds = [board.queens(), board.rooks(), board.knights() | board.bishops(), board.pawns()];
    kinds.iter().position(|&kind| (kind & pieces).any()).map_or(0, |at| 4 - at)
}
