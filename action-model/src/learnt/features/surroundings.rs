//! The surroundings of a square: the pieces within two files and two ranks, and the first one further away in each
//! direction. Forks, pawn chains, protected and blocked lines are patterns of these clues.

use rules::{Bitboard, Square};
use shakmaty::attacks;

use super::{
    super::{
        maps::Maps,
        tables::{KINDS, NEAR},
    },
    clues::Clues,
};

/// Calls `note` with a number below [`AROUND`](super::super::tables::AROUND) for each piece around
/// `center`.
#[inline]
pub(super) fn surroundings(
    maps: &Maps<'_>,
    center: Square,
    occupied: Bitboard,
    mut note: impl FnMut(usize),
) {
    let kind = |square: Square| usize::from(maps.kinds[usize::from(square)]);
    let near_center = within_two(center);
    for square in occupied & near_center {
        note(near(maps, square, center) * KINDS + kind(square));
    }
    for square in attacks::queen_attacks(center, occupied) & occupied & !near_center {
        let direction = match maps.apart(square, center) {
            (0, 1..) => AHEAD,
            (_, 1..) => DIAGONALLY_AHEAD,
            (_, 0) => BESIDE,
            (0, _) => BEHIND,
            _ => DIAGONALLY_BEHIND,
        };
        note((NEAR + direction) * KINDS + kind(square));
    }
}

/// Numbers of directions, as the side to move sees them: below [`AHEAD`](super::super::tables::AHEAD).
const AHEAD: usize = 0;
const DIAGONALLY_AHEAD: usize = 1;
const BESIDE: usize = 2;
const DIAGONALLY_BEHIND: usize = 3;
const BEHIND: usize = 4;

/// Squares within two files and two ranks of a square, without itself.
fn within_two(center: Square) -> Bitboard {
    let ring = attacks::king_attacks(center);
    ring.into_iter().fold(ring, |all, square| all | attacks::king_attacks(square)).without(center)
}

/// Files apart and ranks ahead of two squares that are near, as a number below [`NEAR`].
fn near(maps: &Maps<'_>, square: Square, center: Square) -> usize {
    let (files, ahead) = maps.apart(square, center);
    5 * files + (2 + ahead) as usize
}

/// The pieces near a king.
pub(super) fn near_king(
    maps: &Maps<'_>,
    king: Square,
    clues: &mut Clues,
    number: impl Fn(usize) -> u16,
) {
    for square in maps.occupied & within_two(king) {
        let kind = usize::from(maps.kinds[usize::from(square)]);
        clues.push(number(near(maps, square, king) * KINDS + kind));
    }
}
