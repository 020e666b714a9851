//! The surroundings of a square: the pieces within two files and two ranks, and the first one further away in each
//! direction. Forks, pawn chains, protected and blocked lines are patterns of these clues.

use rules::{Bitboard, Square};
use shakmaty::attacks;

use crate::learnt::{
    maps::Maps,
    tables::{KINDS, NEAR},
};

/// A number below [`AROUND`](crate::learnt::tables::AROUND) for each piece around `center`.
#[inline]
pub(super) fn surroundings(
    maps: &Maps<'_>,
    center: Square,
    occupied: Bitboard,
) -> impl Iterator<Item = usize> {
    let lines = attacks::queen_attacks(center, occupied) & occupied & !within_two(center);
    let far = lines.into_iter().map(move |square| {
        // In the order of the table `AHEAD`.
        let direction = match maps.apart(square, center) {
            (0, 1..) => 0,
            (_, 1..) => 1,
            (_, 0) => 2,
            (0, _) => 4,
            _ => 3,
        };
        (NEAR + direction) * KINDS + usize::from(maps.kinds[usize::from(square)])
    });
    pieces_near(maps, center, occupied).chain(far)
}

/// A number below `NEAR * KINDS` for each piece within two files and two ranks of `center`.
#[inline]
pub(super) fn pieces_near(
    maps: &Maps<'_>,
    center: Square,
    occupied: Bitboard,
) -> impl Iterator<Item = usize> {
    (occupied & within_two(center)).into_iter().map(move |square| {
        let (files, ahead) = maps.apart(square, center);
        let place = 5 * files + (2 + ahead) as usize;
        place * KINDS + usize::from(maps.kinds[usize::from(square)])
    })
}

/// Squares within two files and two ranks of a square, without itself.
fn within_two(center: Square) -> Bitboard {
    let ring = attacks::king_attacks(center);
    ring.into_iter().fold(ring, |all, square| all | attacks::king_attacks(square)).without(center)
}
