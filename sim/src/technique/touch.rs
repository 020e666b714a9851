//! Pieces that a hand touches without meaning to move them: thought better of, or adjusted.

use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Square};

use super::{Situation, Technique};
use crate::{
    chance::normal,
    contact::{Change, Stand},
    hand::Motion,
    profile::Behaviour,
};

/// A duration that is scattered about its median in proportion (log-normal).
struct Scatter {
    median_us: f64,
    log_spread: f64,
    least_us: f64,
    most_us: f64,
}

/// Median time for which a nudged piece is off its contact, microseconds.
pub(crate) const NUDGE_MEDIAN_US: f64 = 90_000.0;
/// Time for which a nudged piece is off its contact.
const NUDGE: Scatter =
    Scatter { median_us: NUDGE_MEDIAN_US, log_spread: 0.5, least_us: 20_000.0, most_us: 600_000.0 };
/// Time for which a piece is in the hand of a player who changes the choice.
const SECOND_THOUGHTS: Scatter =
    Scatter { median_us: 600_000.0, log_spread: 0.42, least_us: 200_000.0, most_us: 3_000_000.0 };

fn scattered(rng: &mut ChaCha8Rng, of: Scatter, factor: f64) -> u64 {
    let us = of.median_us * libm::exp(of.log_spread * normal(rng));
    (us.clamp(of.least_us, of.most_us) * factor) as u64
}

impl Technique<'_> {
    /// Another own piece is lifted, thought about, and put back, if there is one.
    pub(super) fn touch_another(&self, situation: &Situation<'_>, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::TouchMove);
        let Some(square) = self.standing(situation, self.color).choose(&mut rng).copied() else {
            return;
        };
        hand.lift(square);
        hand.wait(scattered(&mut rng, SECOND_THOUGHTS, self.players.hands.second_thoughts));
        hand.act(square, Change::Put(Stand::Centred));
        hand.grasp();
        hand.shows.push(Behaviour::TouchMove);
    }

    /// Several own pieces are put right, one after the other.
    pub(super) fn tidy(&self, situation: &Situation<'_>, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::Tidies);
        let standing = self.standing(situation, self.color);
        let count = rng.random_range(2..=4);
        for &square in standing.sample(&mut rng, count) {
            self.nudge(square, &mut rng, hand);
        }
        hand.shows.push(Behaviour::Tidies);
    }

    /// A piece is moved within its square with a fingertip.
    fn nudge(&self, square: Square, rng: &mut ChaCha8Rng, hand: &mut Motion) {
        hand.lift(square);
        hand.wait(scattered(rng, NUDGE, self.players.hands.nudge));
        hand.act(square, Change::Put(Stand::Centred));
        hand.grasp();
    }

    /// Player who adjusts a piece in this turn, if one does: the mover or the waiting one.
    pub(crate) fn adjusts(&self) -> Option<Color> {
        let mover = self.form(Behaviour::Adjust).random_bool(0.5);
        let color = if mover { self.color } else { self.color.other() };
        self.happens(Behaviour::Adjust).then_some(color)
    }

    /// A piece of a side is adjusted: nudged with a fingertip within its square.
    pub(crate) fn adjust(&self, situation: &Situation<'_>, color: Color, hand: &mut Motion) {
        let mut rng = self.form(Behaviour::Adjust);
        let Some(square) = self.standing(situation, color).choose(&mut rng).copied() else {
            return;
        };
        self.nudge(square, &mut rng, hand);
        situation.name_pieces(&mut hand.acts);
        hand.shows.push(Behaviour::Adjust);
    }
}
