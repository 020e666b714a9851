//! The surroundings of a square: the pieces within two files and two ranks, and the first one further away in each
//! direction. Forks, pawn chains, protected and blocked lines are patterns of these clues.

use rules::{Bitboard, Square};

use super::{
    super::{
        maps::{Maps, OFFSETS, by_offset, offset},
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
    let at = usize::from(center);
    let kind = |square: Square| usize::from(maps.kinds[usize::from(square)]);
    for square in occupied & Bitboard(BOX[at]) {
        note(near(maps, square, center) * KINDS + kind(square));
    }
    for (direction, rays) in RAYS.iter().enumerate() {
        let ray = rays[at];
        let met = ray & occupied.0;
        if met == 0 {
            continue;
        }
        let first = if direction < 4 { met.trailing_zeros() } else { 63 - met.leading_zeros() };
        if BOX[at] & 1 << first != 0 {
            continue;
        }
        let square = Square::new(first);
        let ahead = if maps.turn.is_white() { AHEAD[direction] } else { 4 - AHEAD[direction] };
        note((NEAR + ahead) * KINDS + kind(square));
    }
}

/// Files apart and ranks ahead of two squares that are near.
pub(super) fn near(maps: &Maps<'_>, square: Square, center: Square) -> usize {
    usize::from(NEAR_BY[usize::from(maps.turn.is_black())][offset(square, center)])
}

/// For White and for Black, five times the files apart plus the ranks ahead counted from -2, by the [`offset`].
const NEAR_BY: [[u8; OFFSETS]; 2] = by_offset(2, 5, 1);

/// The pieces near a king.
pub(super) fn near_king<const ROOM: usize>(
    maps: &Maps<'_>,
    king: Square,
    clues: &mut Clues<ROOM>,
    number: impl Fn(usize) -> u16,
) {
    for square in maps.occupied & Bitboard(BOX[usize::from(king)]) {
        let kind = usize::from(maps.kinds[usize::from(square)]);
        clues.push(number(near(maps, square, king) * KINDS + kind));
    }
}

/// Files and ranks of a step. The steps to higher squares come first.
const STEPS: [(i32, i32); 8] =
    [(0, 1), (1, 1), (-1, 1), (1, 0), (0, -1), (1, -1), (-1, -1), (-1, 0)];
/// Direction of each step for White: ahead, diagonally ahead, beside, diagonally behind, behind.
const AHEAD: [usize; 8] = [0, 1, 1, 2, 4, 3, 3, 2];

/// For each step, the squares in that direction from each square.
const RAYS: [[u64; 64]; 8] = {
    let mut rays = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = STEPS[direction];
        let mut at = 0;
        while at < 64 {
            let (mut file, mut rank) = (at as i32 % 8 + files, at as i32 / 8 + ranks);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                rays[direction][at] |= 1 << (8 * rank + file);
                file += files;
                rank += ranks;
            }
            at += 1;
        }
        direction += 1;
    }
    rays
};

/// Squares within two files and two ranks of each square, without itself.
const BOX: [u64; 64] = {
    let mut boxes = [0; 64];
    let mut at = 0;
    while at < 64 {
        let mut other = 0;
        while other < 64 {
            let (files, ranks) =
                (at as i32 % 8 - other as i32 % 8, at as i32 / 8 - other as i32 / 8);
            if other != at && files * files <= 4 && ranks * ranks <= 4 {
                boxes[at] |= 1 << other;
            }
            other += 1;
        }
        at += 1;
    }
    boxes
};
