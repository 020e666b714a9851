//! Ways of castling: king and rook one after the other, in either order, or at once.

use rules::Square;

use super::Technique;
use crate::{chance::between_ms, contact::Stand, hand::Motion, profile::Behaviour};

impl Technique<'_> {
    /// King and rook change places.
    pub(super) fn castle(&self, hand: &mut Motion, king: (Square, Square), rook: (Square, Square)) {
        let (rook_first, both) = (
            self.players.rate(Behaviour::CastlingRookFirst),
            self.players.rate(Behaviour::CastlingBothHands),
        );
        // One draw decides: the styles exclude each other.
        let draw = self.chance.draw(self.board, self.key, Behaviour::CastlingRookFirst);
        let mut rng = self.form(Behaviour::CastlingBothHands);
        let step = |hand: &mut Motion, (from, to): (Square, Square), stand: Stand| {
            hand.lift(from);
            hand.put(to, stand);
        };
        let stand = self.stand(false, hand);
        if draw < rook_first {
            hand.shows.push(Behaviour::CastlingRookFirst);
            step(hand, rook, stand);
            step(hand, king, Stand::Centred);
        } else if draw < rook_first + both {
            hand.shows.push(Behaviour::CastlingBothHands);
            let lag_us = between_ms(&mut rng, 0, 120);
            let mut second = hand.other_hand(rng);
            second.wait(lag_us);
            step(hand, king, stand);
            step(&mut second, rook, Stand::Centred);
            hand.join(second);
        } else {
            step(hand, king, stand);
            step(hand, rook, Stand::Centred);
        }
    }
}
