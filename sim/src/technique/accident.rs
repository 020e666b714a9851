//! Pieces that an arm knocks over, and how they are put back.

use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Square};

use super::{Situation, Technique, free_beside};
use crate::{
    chance::between_ms,
    contact::{Act, Change, Stand},
    hand::Motion,
    place::Place,
    profile::Behaviour,
};

/// Nearest a hand comes to a piece it does not want, when it knocks others over.
const KNOCK_REACH: u32 = 2;
/// Maximum number of pieces that are knocked over at once.
const KNOCKED_MAX: usize = 4;

/// Pieces that an arm knocked over.
#[derive(Clone, Debug)]
pub(crate) struct Knock {
    /// Fallen pieces with their squares; times count from the moment of the accident.
    pub(crate) acts: Vec<Act>,
    /// Each piece's square, and the square it rolled onto.
    fallen: Vec<(Square, Option<Square>)>,
    /// Draws how they are put back.
    rng: ChaCha8Rng,
}

impl Technique<'_> {
    /// Pieces near the target fall over; none if there are none.
    pub(crate) fn knock_over(&self, situation: &Situation<'_>) -> Option<Knock> {
        let mut rng = self.form(Behaviour::KnockOver);
        let near: Vec<Square> = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|color| self.standing(situation, color))
            .filter(|square| square.distance(situation.ply.to()) <= KNOCK_REACH)
            .collect();
        let count = rng.random_range(2..=KNOCKED_MAX);
        let mut taken: Vec<Square> = Vec::new();
        let (mut acts, mut fallen) = (Vec::new(), Vec::new());
        for square in near.sample(&mut rng, count).copied().collect::<Vec<_>>() {
            let t_us = between_ms(&mut rng, 0, 80);
            acts.push(Act { t_us, square, change: Change::Lift, piece: None });
            let free = self.free_for_fallen(situation, square, &taken);
            let rolled = free.choose(&mut rng).copied().filter(|_| rng.random_bool(0.3));
            if let Some(rolled) = rolled {
                taken.push(rolled);
                let t_us = t_us + between_ms(&mut rng, 30, 150);
                let change = Change::Put(Stand::Centred);
                let piece = situation.standing(square);
                acts.push(Act { t_us, square: rolled, change, piece });
            }
            fallen.push((square, rolled));
        }
        (!fallen.is_empty()).then_some(Knock { acts, fallen, rng })
    }

    fn free_for_fallen(
        &self,
        situation: &Situation<'_>,
        square: Square,
        taken: &[Square],
    ) -> Vec<Square> {
        let Situation { ply, rook, .. } = *situation;
        let used = [ply.from(), Some(ply.to()), rook.map(|way| way.1), situation.victim];
        let mut free = free_beside(situation.before, square, ply.to());
        free.retain(|beside| !used.contains(&Some(*beside)) && !taken.contains(beside));
        free
    }

    /// Puts back what fell, some on wrong squares first.
    pub(crate) fn put_back(&self, situation: &Situation<'_>, knock: &Knock, hand: &mut Motion) {
        let mut rng = knock.rng.clone();
        let all_rolled: Vec<Square> =
            knock.fallen.iter().filter_map(|&(_, rolled)| rolled).collect();
        for &(square, rolled) in &knock.fallen {
            match rolled {
                Some(rolled) => hand.lift(rolled),
                None => hand.travel(Place::of(square)),
            }
            hand.wait(between_ms(&mut rng, 80, 300));
            let free = self.free_for_fallen(situation, square, &all_rolled);
            let wrong = free.choose(&mut rng).copied().filter(|_| rng.random_bool(0.25));
            if let Some(wrong) = wrong {
                hand.put(wrong, Stand::Centred);
                hand.name_last(situation.standing(square));
                hand.wait(between_ms(&mut rng, 300, 1_200));
                hand.lift(wrong);
            }
            hand.put(square, Stand::Centred);
        }
        situation.name_pieces(&mut hand.acts);
    }
}
