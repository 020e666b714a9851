//! The hands' technique for one ply: touches with their times, and the landing of the pieces.
//!
//! A technique knows the position and the ply, and yields the mover's motion from the moment the
//! hand sets out to the moment it reaches the clock. When that happens in the match, and what the
//! lever says, is the match's affair.

mod accident;
mod capture;
mod castle;
mod drag;
mod promotion;
mod situation;
mod touch;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rules::{BoardId, Color, Game, Ply, Position, Square};

use crate::{
    chance::{Chance, Topic, between_ms},
    contact::{Change, Stand},
    hand::{Motion, Pace},
    place::Place,
    players::Players,
    profile::Behaviour,
};

pub(crate) use accident::Knock;
pub(crate) use situation::Situation;
pub(crate) use touch::NUDGE_MEDIAN_US;

/// The players, their randomness, and the ply concerned.
#[derive(Clone, Copy)]
pub(crate) struct Technique<'a> {
    /// Player of the habits.
    pub(crate) players: &'a Players,
    /// The match's randomness.
    pub(crate) chance: &'a Chance,
    /// The game: what becomes of captured pieces and promoted pawns.
    pub(crate) game: Game,
    /// The board.
    pub(crate) board: BoardId,
    /// The player.
    pub(crate) color: Color,
    /// Names the ply's streams.
    pub(crate) key: usize,
}

/// The motion of one ply.
#[derive(Clone, Debug)]
pub(crate) struct PlyMotion {
    /// The hand, up to the last piece it put down.
    pub(crate) hand: Motion,
    /// Time at which the pieces have landed.
    pub(crate) placed_us: u64,
    /// Time at which a drop's piece was taken from the reserve.
    pub(crate) reserve_us: Option<u64>,
    /// Time at which the captured piece was handed to the partner, if before the press.
    pub(crate) passed_us: Option<u64>,
    /// Whether the piece that moved now lies on its side.
    pub(crate) lies: bool,
    /// Whether a promoted pawn still stands there, to be exchanged after the press.
    pub(crate) corrects: bool,
    /// Whether it is castling, for which both hands are allowed.
    pub(crate) castles: bool,
}

/// Part of the pieces off centre that are read late; the others flicker.
const READ_LATE_SHARE: f64 = 0.5;

/// A piece is held over its square so long, milliseconds: least and most, evenly.
const HELD_OVER_MS: (u64, u64) = (300, 3_000);

impl Technique<'_> {
    /// Whether a behaviour happens in this ply.
    pub(crate) fn happens(&self, behaviour: Behaviour) -> bool {
        let rate = self.players.rate(behaviour);
        rate > 0.0 && self.chance.draw(self.board, self.key, behaviour) < rate
    }

    /// The stream of a behaviour's forms in this ply.
    pub(crate) fn form(&self, behaviour: Behaviour) -> ChaCha8Rng {
        self.chance.form(self.board, self.key, behaviour)
    }

    /// The stream of a topic in this ply.
    pub(crate) fn topic(&self, topic: Topic) -> ChaCha8Rng {
        self.chance.topic(self.board, self.key, topic)
    }

    /// A hand that starts somewhere, with this player's spread.
    pub(crate) fn hand(&self, at: Place, errand: Topic) -> Motion {
        let rng = self.topic(errand);
        Motion::new(at, self.players.hands, self.pace(), rng)
    }

    /// Speed of this player, all match long.
    fn pace(&self) -> Pace {
        let mut person =
            self.chance.topic(self.board, usize::from(self.color.is_white()), Topic::Person);
        Pace::of_person(self.players.rate(Behaviour::TravelSpread), &mut person)
    }

    /// The motion of a ply, without the way to the clock.
    pub(crate) fn make(&self, situation: &Situation<'_>) -> PlyMotion {
        let mut hand = self.hand(Place::lap(self.color), Topic::Travel);
        if self.adjusts() == Some(self.color) {
            self.adjust(situation, self.color, &mut hand);
        }
        if self.happens(Behaviour::Tidies) {
            self.tidy(situation, &mut hand);
        }
        if self.happens(Behaviour::TouchMove) {
            self.touch_another(situation, &mut hand);
        }
        let mut reserve_us = None;
        let mut passed_us = None;
        let mut lies = situation.ply.from().is_some_and(|from| situation.lying.contains(from));
        let off_the_board = self.promotes_off_the_board(situation);
        match (situation.ply, situation.rook, situation.victim) {
            (Ply::Drop { to, .. }, ..) => {
                hand.take_from_reserve(self.color);
                reserve_us = Some(hand.now_us);
                let stand = self.stand(false, &mut hand);
                hand.put(to, stand);
            }
            (Ply::Move { from, to, .. }, Some(rook), _) => self.castle(&mut hand, (from, to), rook),
            (Ply::Move { from, to, .. }, None, Some(victim)) => {
                passed_us = self.capture(&mut hand, situation, (from, to), victim, lies);
            }
            (Ply::Move { from, to, .. }, None, None) if off_the_board => {
                let stand = self.stand(false, &mut hand);
                self.promote_off_the_board(&mut hand, from, to, stand);
            }
            (Ply::Move { from, to, .. }, None, None) => {
                let stand = self.stand(lies, &mut hand);
                self.carry(&mut hand, situation, from, to, stand);
            }
        }
        let mut corrects = false;
        if situation.promotes && self.game == Game::Chess {
            corrects = !off_the_board && self.exchange_pawn(&mut hand, situation);
        } else if situation.promotes {
            lies = self.happens(Behaviour::PromotedLying);
            if lies {
                hand.shows.push(Behaviour::PromotedLying);
                self.lay_on_side(&mut hand, situation.ply.to());
            }
        }
        situation.name_pieces(&mut hand.acts);
        let placed_us = hand.last_act_us();
        let castles = situation.rook.is_some();
        PlyMotion { hand, placed_us, reserve_us, passed_us, lies, corrects, castles }
    }

    /// Landing of this ply's piece.
    fn stand(&self, lies: bool, hand: &mut Motion) -> Stand {
        if lies {
            return Stand::Unseen;
        }
        if !self.happens(Behaviour::OffCentre) {
            return Stand::Centred;
        }
        hand.shows.push(Behaviour::OffCentre);
        let mut rng = self.form(Behaviour::OffCentre);
        let window = self.players.hands.off_centre;
        if rng.random_bool(READ_LATE_SHARE) {
            return Stand::Late { us: window.draw(&mut rng) };
        }
        let changes = rng.random_range(1..=4) * 2;
        let mut toggles_us: Vec<u64> = (0..changes).map(|_| window.draw(&mut rng)).collect();
        toggles_us.sort_unstable();
        Stand::Flickering { toggles_us }
    }

    /// Lifts a piece, carries or drags it, and puts it down.
    fn carry(
        &self,
        hand: &mut Motion,
        situation: &Situation<'_>,
        from: Square,
        to: Square,
        stand: Stand,
    ) {
        self.bring(hand, situation, from, to);
        hand.act(to, Change::Put(stand));
        hand.grasp();
    }

    /// Lifts a piece and carries or drags it to a square, without putting it down.
    fn bring(&self, hand: &mut Motion, situation: &Situation<'_>, from: Square, to: Square) {
        hand.lift(from);
        let lifted_us = hand.now_us;
        hand.travel(Place::of(to));
        self.drag(hand, situation, (from, to), (lifted_us, hand.now_us));
        if self.happens(Behaviour::HeldOverBoard) {
            let mut rng = self.form(Behaviour::HeldOverBoard);
            hand.wait(between_ms(&mut rng, HELD_OVER_MS.0, HELD_OVER_MS.1));
            hand.shows.push(Behaviour::HeldOverBoard);
        }
    }

    /// The seen pieces of a side that this ply does not concern.
    fn standing(&self, situation: &Situation<'_>, color: Color) -> Vec<Square> {
        let Situation { before, ply, victim, rook, lying, .. } = *situation;
        let concerned = [ply.from(), Some(ply.to()), victim, rook.map(|way| way.0)];
        Square::ALL
            .into_iter()
            .filter(|&square| before.piece_at(square).is_some_and(|piece| piece.color == color))
            .filter(|&square| !lying.contains(square) && !concerned.contains(&Some(square)))
            .collect()
    }
}

/// Empty squares beside one square, other than one.
fn free_beside(position: &Position, square: Square, except: Square) -> Vec<Square> {
    Square::ALL
        .into_iter()
        .filter(|&beside| beside.distance(square) == 1 && beside != except)
        .filter(|&beside| position.piece_at(beside).is_none())
        .collect()
}
