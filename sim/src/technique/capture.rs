//! Ways of capturing: the piece is lifted first, exchanged on the square, or knocked aside.

use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rules::{Game, Square};

use super::{Situation, Technique, free_beside};
use crate::{
    chance::between_ms,
    contact::{Change, Stand},
    hand::Motion,
    place::Place,
    profile::Behaviour,
};

impl Technique<'_> {
    /// Captures; when the piece was handed over, if before the press.
    pub(super) fn capture(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        victim: Square,
        lies: bool,
    ) -> Option<u64> {
        let stand = self.stand(lies, hand);
        let mut rng = self.form(Behaviour::CaptureSwapped);
        let draw = self.chance.draw(self.board, self.key, Behaviour::CaptureSwapped);
        let swapped = self.players.rate(Behaviour::CaptureSwapped);
        let knocked = swapped + self.players.rate(Behaviour::CaptureKnockedAside);
        let both_seen = !lies && !situation.lying.contains(victim);
        if draw < swapped && victim == to {
            hand.shows.push(Behaviour::CaptureSwapped);
            self.bring(hand, situation, from, to);
            if both_seen && self.happens(Behaviour::InstantSwap) {
                hand.shows.push(Behaviour::InstantSwap);
                let gap_us = if rng.random_bool(0.5) { 0 } else { between_ms(&mut rng, 1, 3) };
                hand.act(to, Change::Swap { gap_us });
            } else {
                hand.act(to, Change::Lift);
                hand.wait(between_ms(&mut rng, 40, 200));
                hand.act(to, Change::Put(stand));
            }
            hand.grasp();
        } else if draw < knocked && victim == to {
            hand.shows.push(Behaviour::CaptureKnockedAside);
            self.knock_aside(hand, situation, (from, to), stand, &mut rng);
        } else if draw < knocked {
            // En passant: the victim stands elsewhere and is lifted after the pawn has landed.
            self.carry(hand, situation, from, to, stand);
            hand.lift(victim);
        } else {
            hand.lift(victim);
            if self.passes_early() {
                hand.shows.push(Behaviour::EarlyPass);
                let passed_us = hand.hand_over(self.color);
                self.carry(hand, situation, from, to, stand);
                return Some(passed_us);
            }
            hand.lay_aside(self.color);
            self.carry(hand, situation, from, to, stand);
            return None;
        }
        self.passes_early().then(|| {
            hand.shows.push(Behaviour::EarlyPass);
            hand.hand_over(self.color)
        })
    }

    /// Whether the partner gets the piece before the press; in chess there is no partner.
    fn passes_early(&self) -> bool {
        self.game == Game::Bughouse && self.happens(Behaviour::EarlyPass)
    }

    /// The attacker pushes its victim aside, and the hand lifts that afterwards.
    fn knock_aside(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        (from, to): (Square, Square),
        stand: Stand,
        rng: &mut ChaCha8Rng,
    ) {
        let seen = !situation.lying.contains(to);
        let beside: Vec<Square> = free_beside(situation.before, to, from);
        let rest = beside.choose(rng).copied().filter(|_| rng.random_bool(0.5));
        self.bring(hand, situation, from, to);
        hand.act(to, Change::Lift);
        if let Some(rest) = rest.filter(|_| seen) {
            hand.wait(between_ms(rng, 5, 30));
            hand.act(rest, Change::Put(Stand::Centred));
            hand.name_last(situation.standing(to));
        }
        hand.wait(between_ms(rng, 5, 60));
        hand.act(to, Change::Put(stand));
        hand.wait(between_ms(rng, 60, 250));
        match rest {
            Some(rest) if seen => hand.lift(rest),
            _ => hand.travel(Place::of(to)),
        }
    }
}
