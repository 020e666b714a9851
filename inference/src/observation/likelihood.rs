//! Probability of what the squares of a segment read, if a given ply was made.
//!
//! ```text
//! p(squares | ply) = of_ply * of_others * of_order
//! of_ply           = PROD over classes k of squares of the ply        : p_k^n_k
//! of_others        = PROD over classes k of differences carried along : p_k^n_k * (apart + knocked + settling)
//! apart            = PROD over classes k of disturbed squares         : p_k^n_k or Falling_k(n_k)
//! of_order         = OUT_OF_ORDER if the piece was set down before it was lifted, else 1
//! ```
//!
//! `n_k` is the number of squares of class `k`, and `p_k` or `Falling_k` its number in
//! [`params::squares`](crate::params::squares). Disturbed squares have three exclusive causes, so these are added: each
//! square by itself (`apart`), one accident (`knocked`), or pieces of an earlier accident that are being put back
//! ([`settling`](knock_over::settling)).
//!
//! A class follows from four bits of each square: expected occupied before and after the segment, as the hypothesis has
//! it, and read occupied before and after; and from the changes in between. Squares of the ply are expected to change;
//! others may have been disturbed. A difference between expected and read squares carries itself from segment to
//! segment, since both sides of it are known again at the next one.

use rules::{Bitboard, Color, Square};

use super::summary::Observation;
use crate::{
    observation::{
        footprint::{Footprint, PredictedSquares},
        knock_over::{self, Lifts},
    },
    params::{power, squares as p, stopped},
};

/// Squares that changed and are no part of the ply that is weighed.
struct Disturbed {
    /// They changed and read as expected again.
    restored: Bitboard,
    /// Of the restored squares, those on which a piece stood for a while.
    visited: Bitboard,
    /// Squares outside the ply whose piece is off them.
    lifted: Bitboard,
    /// Something reads occupied where nothing is expected.
    extra: Bitboard,
    /// Around the square of a capture.
    beside: Bitboard,
    /// Pieces that were off their squares before and still are.
    missing: Bitboard,
}

impl Observation {
    /// Probability of this observation, 0 to 1, if a ply with this footprint led from `before` to `after`, the segment
    /// being `presser`'s.
    pub(crate) fn likelihood(
        &self,
        footprint: &Footprint,
        before: &PredictedSquares,
        after: &PredictedSquares,
        presser: Color,
    ) -> f64 {
        let off_before = before.occupied ^ self.before;
        let off_after = after.occupied ^ self.after;
        self.of_ply(footprint, before, off_after, after)
            * self.of_others(footprint, !footprint.squares(), off_before, off_after, after, presser)
            * self.of_order(footprint)
    }

    /// The squares that the ply concerns.
    fn of_ply(
        &self,
        footprint: &Footprint,
        before: &PredictedSquares,
        off_after: Bitboard,
        after: &PredictedSquares,
    ) -> f64 {
        let off_before = before.occupied ^ self.before;
        let mut likelihood = power(p::STUCK, number(footprint.vacated & off_after));
        let arrivals = footprint.arrived | footprint.exchanged;
        let unseen_swap = footprint.exchanged & !self.touched & !off_after & !off_before;
        if (arrivals & after.may_be_unseen).any() {
            // A pawn that promotes lies unseen or is seen, one as often as the other. Afterwards nothing follows from it.
            let was_promoted = (footprint.vacated & before.may_be_unseen).any();
            likelihood *= if was_promoted { 1.0 } else { p::PROMOTED_UNSEEN };
        } else {
            // Read for a moment, or right after the segment: the piece stands off centre.
            let late = arrivals & off_after;
            let glimpsed = late & (self.filled | self.filled_soon);
            let blind = late & off_before & self.at_rest & !self.touched & !glimpsed;
            likelihood *= power(p::LATE, number(glimpsed))
                * power(p::UNREAD_AT_REST, number(blind))
                * power(p::LATE_BEYOND, number(late & !glimpsed & !blind));
        }
        likelihood *= power(p::SET_DOWN_AGAIN, number(arrivals & self.stood & !off_after));
        likelihood * power(p::SWAP_UNSEEN, number(unseen_swap))
    }

    /// Squares that opened and closed right after the segment.
    fn blinked_soon(&self) -> Bitboard {
        self.emptied_soon & self.filled_soon
    }

    /// The squares that the ply does not concern.
    fn of_others(
        &self,
        footprint: &Footprint,
        others: Bitboard,
        off_before: Bitboard,
        off_after: Bitboard,
        after: &PredictedSquares,
        presser: Color,
    ) -> f64 {
        let aftershocks = others & (self.blinked_soon() | self.filled_at_once);
        let noisy = others & (self.touched | off_before | off_after | aftershocks);
        if noisy.is_empty() {
            return 1.0;
        }
        let fresh = others & !off_before & off_after;
        // A promoted piece that lies unseen before and after reads as it should.
        let lying = off_before & off_after & after.may_be_unseen;
        let agreeing = others & self.touched & (!off_before & !off_after | lying);
        let dragged = (agreeing | fresh & self.filled_last) & footprint.path & !after.occupied;
        let beside = footprint.beside_capture();
        let brushed = agreeing & !dragged & beside & !after.occupied;
        let restored = agreeing & !dragged & !brushed;
        // While pieces are being put back after an accident, some stand on wrong squares first.
        let calm = off_before.is_empty();
        let visited = if calm { restored & self.stood & !after.occupied } else { Bitboard::EMPTY };
        let resolved = others & off_before & !off_after;
        let persisting = others & off_before & off_after & !after.may_be_unseen;
        let carried = power(p::PUSHED_ASIDE_AND_LIFTED, number(brushed))
            * power(p::AFTERSHOCK, number(aftershocks))
            * power(p::DRAGGED, number(dragged))
            * power(p::RESOLVED, number(resolved))
            * power(p::PERSISTS, number(persisting & !self.at_rest))
            * power(p::PERSISTS_AT_REST, number(persisting & self.at_rest));
        let lifted = fresh & after.occupied;
        let extra = fresh & !after.occupied & !dragged;
        if (restored | lifted | extra).is_empty() {
            return carried;
        }
        let disturbed = Disturbed {
            restored,
            visited,
            lifted,
            extra,
            beside,
            missing: persisting & after.occupied,
        };
        carried * self.of_disturbed(footprint, &disturbed, after.side(presser))
    }

    /// The squares that changed and are no part of the ply, each by itself or in one accident.
    fn of_disturbed(&self, footprint: &Footprint, disturbed: &Disturbed, presser: Bitboard) -> f64 {
        let &Disturbed { restored, visited, lifted, extra, beside, missing } = disturbed;
        let of_presser = lifted & presser;
        let of_opponent = lifted & !of_presser;
        let early_hand = self.lifted_after_arrival(of_opponent, footprint);
        let lifted_by_opponent = of_opponent & !early_hand;
        let pushed = self.pushed_aside(footprint, extra & beside);
        let in_hand = if self.stopped { &stopped::IN_HAND } else { &p::EARLY_HAND };
        let apart = p::RESTORED.of(number(restored & !visited))
            * power(p::VISITED, number(visited))
            * power(p::OUTLASTING, number(restored & self.outlasting))
            * in_hand.of(number(early_hand))
            * p::LIFTED_BY_OPPONENT.of(number(lifted_by_opponent))
            * p::LIFTED_BY_PRESSER.of(number(of_presser))
            * power(p::PUSHED_ASIDE, number(pushed))
            * p::EXTRA.of(number(extra & !pushed));
        let settling =
            if lifted.is_empty() { knock_over::settling(missing, restored, extra) } else { 0.0 };
        let knocked = self.lifts().knocked(restored, lifted, extra);
        apart + knocked + settling
    }

    /// Of these squares beside a capture, those onto which the victim can have been pushed. They were filled neither
    /// before the capturing piece was lifted nor long after it had landed.
    fn pushed_aside(&self, footprint: &Footprint, squares: Bitboard) -> Bitboard {
        let (Some(from), Some(to)) =
            (footprint.vacated.single_square(), footprint.exchanged.single_square())
        else {
            return squares;
        };
        let lifted = self.last_lift[usize::from(from)];
        let landed = self.last_fill[usize::from(to)];
        let timed = self.fill_timed.contains(to);
        let at_rest = if timed { landed.saturating_add(p::PUSHED_WITHIN_US) } else { u64::MAX };
        let in_time =
            |square: &Square| (lifted..=at_rest).contains(&self.last_fill[usize::from(*square)]);
        squares.into_iter().filter(in_time).collect()
    }

    fn lifts(&self) -> Lifts<'_> {
        Lifts {
            before: self.before,
            first: &self.first_lift,
            filled: &self.last_fill,
            stood: self.stood,
        }
    }

    /// Of these squares, those emptied after the ply's piece had arrived: lifted for an early answer.
    fn lifted_after_arrival(&self, squares: Bitboard, footprint: &Footprint) -> Bitboard {
        let Some(to) = (footprint.arrived | footprint.exchanged).single_square() else {
            return Bitboard::EMPTY;
        };
        if !self.after.contains(to) && self.filled_at_once.contains(to) {
            // The piece stood before it was read.
            return squares;
        }
        if !self.fill_timed.contains(to) {
            return Bitboard::EMPTY;
        }
        let arrived = self.last_fill[usize::from(to)];
        let is_later = |square: &Square| self.last_lift[usize::from(*square)] > arrived;
        (squares & self.lift_timed).into_iter().filter(is_later).collect()
    }

    /// The factor of the order in which the piece was lifted and set down.
    fn of_order(&self, footprint: &Footprint) -> f64 {
        let (Some(from), Some(to)) = (
            footprint.vacated.single_square(),
            (footprint.arrived | footprint.exchanged).single_square(),
        ) else {
            return 1.0;
        };
        if !self.after.contains(to) {
            // The piece read there was not the one that stands there in the end.
            return 1.0;
        }
        let lifted = self.last_lift[usize::from(from)];
        let filled = self.last_fill[usize::from(to)];
        let is_timed = self.lift_timed.contains(from) && self.fill_timed.contains(to);
        if is_timed && filled < lifted { p::OUT_OF_ORDER } else { 1.0 }
    }
}

/// How many squares. Mostly none, and counting is slow on machines without an instruction for it.
#[inline]
fn number(squares: Bitboard) -> usize {
    if squares.is_empty() { 0 } else { squares.count() }
}

#[cfg(test)]
mod tests;
