//! Ways of promoting a pawn.
//!
//! In bughouse it stays on the board, often on its side: the piece it became reverts to a pawn when it is
//! taken. In chess it is exchanged for a piece from beside the board. Mostly it goes to the last rank first. Some players take it off at once
//! and put the piece there. Some press before they exchange it, and have to do it in the opponent's
//! time.

use rand::RngExt;
use rules::{Color, Game, Square};

use super::{Situation, Technique};
use crate::{
    chance::{Topic, between_ms},
    contact::{Change, Stand},
    hand::Motion,
    profile::Behaviour,
};

/// Probability that an upright promoted pawn of bughouse is not exchanged for a real piece.
const STANDS_AS_PAWN: f64 = 0.5;
/// From the press until a hand sets out to exchange the pawn that was left standing, milliseconds: least and most, evenly.
const NOTICED_MS: (u64, u64) = (300, 1_500);

impl Technique<'_> {
    /// Whether a pawn that is promoted in this ply, and does not lie on its side, stays on the board as a
    /// pawn.
    pub(crate) fn stays_pawn(&self) -> bool {
        self.topic(Topic::Promoted).random_bool(STANDS_AS_PAWN)
    }

    /// A promoted pawn is laid on its side: at once, or after standing for a moment.
    pub(super) fn lay_on_side(&self, hand: &mut Motion, at: Square) {
        let mut rng = self.form(Behaviour::PromotedLying);
        if rng.random_bool(0.5) {
            let landed = hand.acts.iter_mut().rfind(|act| {
                act.square == at && !matches!(act.change, Change::Lift | Change::Pass { .. })
            });
            if let Some(act) = landed {
                // The victim of a swap leaves the square, and nothing seen replaces it.
                act.change = Change::Put(Stand::Unseen);
            }
        } else {
            hand.wait(between_ms(&mut rng, 100, 400));
            hand.act(at, Change::Put(Stand::Unseen));
        }
    }

    /// Whether the pawn of a promotion in chess never touches the last rank. One that captures does.
    pub(super) fn promotes_off_the_board(&self, situation: &Situation<'_>) -> bool {
        self.game == Game::Chess
            && situation.promotes
            && situation.victim.is_none()
            && self.happens(Behaviour::PromotedOffBoard)
    }

    /// The pawn is taken off, and the new piece put on the last rank.
    pub(super) fn promote_off_the_board(
        &self,
        hand: &mut Motion,
        from: Square,
        to: Square,
        stand: Stand,
    ) {
        hand.shows.push(Behaviour::PromotedOffBoard);
        hand.lift(from);
        hand.lay_aside(self.color);
        fetch(hand, to, self.color, stand);
    }

    /// The pawn that stands on the last rank is exchanged for the piece it becomes, unless the clock is pressed first: whether
    /// it is.
    pub(super) fn exchange_pawn(&self, hand: &mut Motion, situation: &Situation<'_>) -> bool {
        let to = situation.ply.to();
        let pawn = self.color.pawn();
        // The piece that has landed so far is the pawn, whatever it counts as from now on.
        let landed = hand.acts.iter_mut().filter(|act| act.square == to && act.piece.is_none());
        landed.filter(|act| act.change != Change::Lift).for_each(|act| act.piece = Some(pawn));
        if self.happens(Behaviour::PromotedLate) {
            return true;
        }
        hand.lift(to);
        hand.lay_aside(self.color);
        fetch(hand, to, self.color, Stand::Centred);
        false
    }

    /// The exchange by a player who has pressed already.
    pub(crate) fn exchange_late(&self, situation: &Situation<'_>, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::PromotedLate);
        let to = situation.ply.to();
        hand.wait(between_ms(&mut rng, NOTICED_MS.0, NOTICED_MS.1));
        hand.lift(to);
        hand.lay_aside(self.color);
        fetch(hand, to, self.color, Stand::Centred);
        situation.name_pieces(&mut hand.acts);
    }
}

/// A piece is taken from beside the board and put on a square.
fn fetch(hand: &mut Motion, to: Square, color: Color, stand: Stand) {
    hand.take_from_reserve(color);
    hand.put(to, stand);
    hand.grasp();
}
