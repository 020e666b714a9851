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
//! [`params::squares`](crate::params::squares). Disturbed squares have three exclusive causes, so
//! these are added: each square by itself (`apart`), one accident (`knocked`), or pieces of an
//! earlier accident that are being put back ([`settling`](knock_over::settling)).
//!
//! A class follows from four bits of each square: expected occupied before and after the segment,
//! as the hypothesis has it, and read occupied before and after; and from the changes in between.
//! Squares of the ply are expected to change; others may have been disturbed. A difference between
//! expected and read squares carries itself from segment to segment, since both sides of it are
//! known again at the next one.

use rules::{Bitboard, Color, Square};

use super::summary::Observation;
use crate::hand_times::PUSHED_WITHIN_US;
use crate::{
    observation::{
        footprint::{Footprint, PredictedSquares},
        knock_over,
    },
    params::{power, squares as p, stopped},
};

/// Readings of the squares of a segment, beside those that a hypothesis and a ply let expect.
struct Comparison<'a> {
    read: &'a Observation,
    footprint: &'a Footprint,
    before: &'a PredictedSquares,
    after: &'a PredictedSquares,
    /// Squares that read otherwise than expected when the segment began, and when it ended.
    off_before: Bitboard,
    off_after: Bitboard,
    presser: Color,
}

impl Observation {
    /// Probability of this observation, 0 to 1, if a ply with this footprint led from `before` to
    /// `after`, the segment being `presser`'s.
    pub(crate) fn likelihood(
        &self,
        footprint: &Footprint,
        before: &PredictedSquares,
        after: &PredictedSquares,
        presser: Color,
    ) -> f64 {
        let off_before = before.occupied ^ self.before;
        let off_after = after.occupied ^ self.after;
        let read = self;
        let comparison =
            Comparison { read, footprint, before, after, off_before, off_after, presser };
        comparison.of_ply() * comparison.of_others() * comparison.of_order()
    }
}

impl Comparison<'_> {
    /// The squares that the ply concerns.
    fn of_ply(&self) -> f64 {
        let &Comparison { read, footprint, before, after, off_before, off_after, .. } = self;
        let mut likelihood = power(p::STUCK, number(footprint.vacated & off_after));
        let arrivals = footprint.arrivals();
        let unseen_swap = footprint.exchanged & !read.touched & !off_after & !off_before;
        if (arrivals & after.may_be_unseen).any() {
            // A pawn that promotes lies unseen or is seen, one as often as the other. Afterwards
            // nothing follows from it.
            let was_promoted = (footprint.vacated & before.may_be_unseen).any();
            likelihood *= if was_promoted { 1.0 } else { p::PROMOTED_UNSEEN };
        } else {
            // Read for a moment, or right after the segment: the piece stands off centre.
            let late = arrivals & off_after;
            let glimpsed = late & (read.filled | read.filled_soon);
            let blind = late & off_before & read.at_rest & !read.touched & !glimpsed;
            likelihood *= power(p::LATE, number(glimpsed))
                * power(p::UNREAD_AT_REST, number(blind))
                * power(p::LATE_BEYOND, number(late & !glimpsed & !blind));
        }
        likelihood *= power(p::SET_DOWN_AGAIN, number(arrivals & read.stood & !off_after));
        likelihood * power(p::SWAP_UNSEEN, number(unseen_swap))
    }

    /// The squares that the ply does not concern.
    fn of_others(&self) -> f64 {
        let &Comparison { read, footprint, after, off_before, off_after, .. } = self;
        let others = !footprint.squares();
        // Squares that opened and closed right after the segment, or were filled at once.
        let aftershocks = others & (read.emptied_soon & read.filled_soon | read.filled_at_once);
        let noisy = others & (read.touched | off_before | off_after | aftershocks);
        if noisy.is_empty() {
            return 1.0;
        }
        let fresh = others & !off_before & off_after;
        // A promoted piece that lies unseen before and after reads as it should.
        let lying = off_before & off_after & after.may_be_unseen;
        let agreeing = others & read.touched & (!off_before & !off_after | lying);
        let dragged = (agreeing | fresh & read.filled_last) & footprint.path & !after.occupied;
        let brushed = agreeing & !dragged & footprint.beside_capture() & !after.occupied;
        let restored = agreeing & !dragged & !brushed;
        let resolved = others & off_before & !off_after;
        let persisting = others & off_before & off_after & !after.may_be_unseen;
        let carried = power(p::PUSHED_ASIDE_AND_LIFTED, number(brushed))
            * power(p::AFTERSHOCK, number(aftershocks))
            * power(p::DRAGGED, number(dragged))
            * power(p::RESOLVED, number(resolved))
            * power(p::PERSISTS, number(persisting & !read.at_rest))
            * power(p::PERSISTS_AT_REST, number(persisting & read.at_rest));
        let lifted = fresh & after.occupied;
        let extra = fresh & !after.occupied & !dragged;
        if (restored | lifted | extra).is_empty() {
            return carried;
        }
        // Pieces of an earlier accident, which are still off their squares.
        let missing = persisting & after.occupied;
        let settling =
            if lifted.is_empty() { knock_over::settling(missing, restored, extra) } else { 0.0 };
        let knocked = read.knocked(restored, lifted, extra);
        carried * (self.of_disturbed(restored, lifted, extra) + knocked + settling)
    }

    /// The squares that changed and are no part of the ply, each by itself: `restored` ones read as
    /// expected again, the piece of `lifted` ones is off them, and on `extra` ones something reads
    /// where nothing is expected.
    fn of_disturbed(&self, restored: Bitboard, lifted: Bitboard, extra: Bitboard) -> f64 {
        let &Comparison { read, footprint, after, .. } = self;
        // While pieces are being put back after an accident, some stand on wrong squares first.
        let calm = self.off_before.is_empty();
        let visited = if calm { restored & read.stood & !after.occupied } else { Bitboard::EMPTY };
        let of_presser = lifted & after.side(self.presser);
        let of_opponent = lifted & !of_presser;
        let early_hand = self.lifted_after_arrival(of_opponent);
        let lifted_by_opponent = of_opponent & !early_hand;
        let pushed = self.pushed_aside(extra & footprint.beside_capture());
        let in_hand = if read.stopped { &stopped::IN_HAND } else { &p::EARLY_HAND };
        p::RESTORED.of(number(restored & !visited))
            * power(p::VISITED, number(visited))
            * power(p::OUTLASTING, number(restored & read.outlasting))
            * in_hand.of(number(early_hand))
            * p::LIFTED_BY_OPPONENT.of(number(lifted_by_opponent))
            * p::LIFTED_BY_PRESSER.of(number(of_presser))
            * power(p::PUSHED_ASIDE, number(pushed))
            * p::EXTRA.of(number(extra & !pushed))
    }

    /// Squares beside a capture, among these, onto which the victim can have been pushed. They
    /// were filled neither before the capturing piece was lifted nor long after it had landed.
    fn pushed_aside(&self, squares: Bitboard) -> Bitboard {
        let &Comparison { read, footprint, .. } = self;
        let (Some(from), Some(to)) =
            (footprint.vacated.single_square(), footprint.exchanged.single_square())
        else {
            return squares;
        };
        let lifted = read.last_lift[usize::from(from)];
        let landed = read.last_fill[usize::from(to)];
        let timed = read.filled.contains(to);
        let at_rest = if timed { landed.saturating_add(PUSHED_WITHIN_US) } else { u64::MAX };
        let in_time =
            |square: &Square| (lifted..=at_rest).contains(&read.last_fill[usize::from(*square)]);
        squares.into_iter().filter(in_time).collect()
    }

    /// Squares among these that were emptied after the ply's piece had arrived: lifted for an early answer.
    fn lifted_after_arrival(&self, squares: Bitboard) -> Bitboard {
        let read = self.read;
        let Some(to) = self.footprint.arrivals().single_square() else { return Bitboard::EMPTY };
        if !read.after.contains(to) && read.filled_at_once.contains(to) {
            // The piece stood before it was read.
            return squares;
        }
        if !read.filled.contains(to) {
            return Bitboard::EMPTY;
        }
        let arrived = read.last_fill[usize::from(to)];
        let is_later = |square: &Square| read.last_lift[usize::from(*square)] > arrived;
        (squares & read.emptied).into_iter().filter(is_later).collect()
    }

    /// The factor of the order in which the piece was lifted and set down.
    fn of_order(&self) -> f64 {
        let &Comparison { read, footprint, .. } = self;
        let (Some(from), Some(to)) =
            (footprint.vacated.single_square(), footprint.arrivals().single_square())
        else {
            return 1.0;
        };
        // Otherwise the piece read there was not the one that stands there in the end.
        let stands = read.filled.contains(to) && read.after.contains(to);
        let lifted = read.last_lift[usize::from(from)];
        let filled = read.last_fill[usize::from(to)];
        let early = stands && read.emptied.contains(from) && filled < lifted;
        if early { p::OUT_OF_ORDER } else { 1.0 }
    }
}

/// Number of squares. Mostly none, and counting is slow on machines without an instruction for it.
#[inline]
fn number(squares: Bitboard) -> usize {
    if squares.is_empty() { 0 } else { squares.count() }
}

#[cfg(test)]
mod tests;
