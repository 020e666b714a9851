//! Probability of an accident: pieces fall together, lie or stand on other squares for a while, and
//! are put back.
//!
//! ```text
//! knocked  = KNOCK_OVER * KNOCKED_PIECE^f * ROLLED^e * RESTORED(1)^a
//! settling = ROLLED^e * RESTORED(r)
//! ```
//!
//! - `f`: squares that the fall disturbed
//! - `e`: squares that read occupied where no piece should stand; no more than there are pieces off
//!   their squares
//! - `a`: pieces that were lifted at another time, and are back
//! - `r`: squares that changed and are as before
//!
//! `knocked` is 0 if fewer than two pieces fell together, if a square was filled before the first
//! piece fell, or if a piece stood on it and left it before it was filled again. `settling` is for
//! two pieces or more that an earlier segment knocked over, and 0 otherwise.
//!
//! Each square alone would be a rare disturbance, and five of them together next to impossible. An
//! accident is one event with a probability of its own. So a segment in which pieces were knocked
//! over and put back is still explained by the ply that was made in it.

use rules::{Bitboard, Square};

use super::summary::Observation;
use crate::hand_times::FALL_TOGETHER_US;
use crate::params::{power, squares as p};

impl Observation {
    /// Probability that an accident left the squares like this, 0 to 1. `restored` are as before,
    /// pieces are off the `lifted`, and some of these pieces rolled onto the `extra`. Pieces fall
    /// together: a piece that was lifted and put back at another time was touched apart from the
    /// accident.
    pub(super) fn knocked(&self, restored: Bitboard, lifted: Bitboard, extra: Bitboard) -> f64 {
        let disturbed = restored | lifted;
        if !disturbed.more_than_one() || extra.any() && extra.count() > lifted.count() {
            return 0.0;
        }
        let pieces = disturbed & self.before;
        let apart = pieces & !self.fallen_together(pieces);
        let fallen = disturbed & !apart;
        let is_accident = (fallen & self.before).more_than_one();
        if !is_accident || (apart & lifted).any() || !self.rolled_from(fallen, extra) {
            return 0.0;
        }
        p::KNOCK_OVER
            * power(p::KNOCKED_PIECE, fallen.count())
            * power(p::ROLLED, extra.count())
            * power(p::RESTORED.of(1), apart.count())
    }

    /// Whether pieces that rolled off the `fallen` squares can have filled the `extra`: none was
    /// filled before the first piece fell, and none was left by a piece that had stood there.
    fn rolled_from(&self, fallen: Bitboard, extra: Bitboard) -> bool {
        let fell = fallen.into_iter().map(|square| self.first_lift[usize::from(square)]);
        let fell_us = fell.filter(|&t_us| t_us != u64::MAX).min().unwrap_or(0);
        (extra & self.stood).is_empty()
            && extra.into_iter().all(|square| self.last_fill[usize::from(square)] >= fell_us)
    }

    /// The most of these pieces that can have fallen at once. A piece whose square never opened
    /// fits any time.
    fn fallen_together(&self, pieces: Bitboard) -> Bitboard {
        let lift = |square: Square| self.first_lift[usize::from(square)];
        let within = |first: u64| -> Bitboard {
            let last = first.saturating_add(FALL_TOGETHER_US);
            pieces.into_iter().filter(|&square| (first..=last).contains(&lift(square))).collect()
        };
        let never: Bitboard =
            pieces.into_iter().filter(|&square| lift(square) == u64::MAX).collect();
        let firsts = (pieces & !never).into_iter().map(lift);
        let most = firsts.map(within).max_by_key(|fallen| (fallen.count(), u64::from(*fallen)));
        never | most.unwrap_or(Bitboard::EMPTY)
    }
}

/// Probability, 0 to 1, that the pieces which an earlier accident took off the `missing` squares
/// stand or lie on the `extra` for now.
pub(super) fn settling(missing: Bitboard, restored: Bitboard, extra: Bitboard) -> f64 {
    if extra.is_empty() || !missing.more_than_one() || extra.count() > missing.count() {
        return 0.0;
    }
    power(p::ROLLED, extra.count()) * p::RESTORED.of(restored.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensing::segment::Segment;

    /// A segment that began with these pieces, first lifted at these times, microseconds.
    fn lifted(before: Bitboard, first_lift: [u64; 64]) -> Observation {
        Observation { first_lift, ..Observation::of(&Segment::new(before), 0, 0) }
    }

    /// Pieces lifted at these times, milliseconds, and all put back.
    fn knocked(pieces: &[(Square, u64)]) -> f64 {
        let mut first = [u64::MAX; 64];
        for &(square, t_ms) in pieces {
            first[usize::from(square)] = 1_000 * t_ms;
        }
        let restored = pieces.iter().map(|&(square, _)| square).collect();
        lifted(restored, first).knocked(restored, Bitboard::EMPTY, Bitboard::EMPTY)
    }

    #[test]
    fn pieces_that_fall_together_are_one_accident() {
        let together = knocked(&[(Square::B2, 10), (Square::C2, 40), (Square::D2, 200)]);
        assert_eq!(together, p::KNOCK_OVER * power(p::KNOCKED_PIECE, 3));
    }

    #[test]
    fn pieces_touched_one_after_the_other_are_no_accident() {
        assert_eq!(knocked(&[(Square::B2, 0), (Square::C2, 1_000), (Square::D2, 2_000)]), 0.0);
    }

    #[test]
    fn no_piece_rolls_onto_a_square_before_it_falls() {
        let fallen = Bitboard::from_iter([Square::B2, Square::C2]);
        let (mut first, mut last_fill) = ([u64::MAX; 64], [0; 64]);
        fallen.into_iter().for_each(|square| first[usize::from(square)] = 50_000);
        let mut onto_b4_at = |t_us: u64| {
            last_fill[usize::from(Square::B4)] = t_us;
            let onto = Bitboard::from_square(Square::B4);
            // In the second case a piece stood there before.
            [Bitboard::EMPTY, onto].map(|stood| {
                let segment = Observation { last_fill, stood, ..lifted(fallen, first) };
                segment.knocked(Bitboard::EMPTY, fallen, onto)
            })
        };
        assert!(onto_b4_at(90_000)[0] > 0.0);
        assert_eq!(onto_b4_at(90_000)[1], 0.0);
        assert_eq!(onto_b4_at(10_000), [0.0; 2]);
    }

    #[test]
    fn one_piece_and_a_square_that_was_visited_are_no_accident() {
        let (mut first, restored) = ([u64::MAX; 64], Bitboard::from_square(Square::C3));
        first[usize::from(Square::E2)] = 50_000;
        let fallen = Bitboard::from_square(Square::E2);
        assert_eq!(lifted(fallen, first).knocked(restored, fallen, Bitboard::EMPTY), 0.0);
    }

    #[test]
    fn a_piece_touched_before_an_accident_costs_what_it_costs_alone() {
        let fallen = [(Square::B2, 1_000), (Square::C2, 1_040), (Square::D2, 1_200)];
        let with_touch = [fallen[0], fallen[1], fallen[2], (Square::G1, 0)];
        let price = p::RESTORED.of(1);
        assert!((knocked(&with_touch) / (knocked(&fallen) * price) - 1.0).abs() < 1e-9);
    }
}
