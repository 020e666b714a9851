//! A hand over a table: where things are, and how long it takes to get there.
//!
//! Travel follows Fitts' law (Fitts 1954), 150 ms + 120 ms × log2(1 + distance/width), with a
//! square's side as the unit of distance and as the width of every target.

use rand_chacha::ChaCha8Rng;
use rules::{Color, Piece, Square};

use crate::{
    chance::normal,
    contact::{Act, Change, Stand},
    hands::Hands,
    place::Place,
    profile::{Behaviour, PERSON_SHARE},
};

/// A spread never makes a hand faster than this part of its mean travel time…
const FASTEST: f64 = 0.4;
/// …nor slower than this multiple.
const SLOWEST: f64 = 2.5;
/// Mean time that a hand takes from one place to another, microseconds.
fn mean_travel_us(hands: &Hands, from: Place, to: Place) -> f64 {
    hands.travel_base_us + hands.travel_per_bit_us * libm::log2(1.0 + from.distance(to))
}

/// A player's travel times relative to the mean: the person's own part, and the spread about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    person: f64,
    within: f64,
}

impl Pace {
    /// A person of a population whose travel times have this relative spread, one travel with another.
    pub(crate) fn of_person(spread: f64, rng: &mut ChaCha8Rng) -> Pace {
        let person = spread * libm::sqrt(PERSON_SHARE) * normal(rng);
        Pace { person, within: spread * libm::sqrt(1.0 - PERSON_SHARE) }
    }

    /// The factor of one travel.
    fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        if self.within == 0.0 {
            return 1.0;
        }
        (1.0 + self.person + self.within * normal(rng)).clamp(FASTEST, SLOWEST)
    }
}

/// One player's motion from a starting moment, at 0, until the hand is at the clock.
///
/// All times are microseconds from that start; the match shifts the whole motion to where it
/// belongs.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    /// Acts of the hand at the board.
    pub(crate) acts: Vec<Act>,
    /// Present time of the motion.
    pub(crate) now_us: u64,
    /// First contact with the board or the reserve.
    pub(crate) first_touch_us: Option<u64>,
    /// Behaviours of the table that this motion shows.
    pub(crate) shows: Vec<Behaviour>,
    at: Place,
    hands: Hands,
    pace: Pace,
    rng: ChaCha8Rng,
}

impl Motion {
    /// A hand that starts at a place.
    pub(crate) fn new(at: Place, hands: Hands, pace: Pace, rng: ChaCha8Rng) -> Motion {
        Motion {
            acts: Vec::new(),
            now_us: 0,
            first_touch_us: None,
            shows: Vec::new(),
            at,
            hands,
            pace,
            rng,
        }
    }

    /// Time of the way to a place, drawn once per call.
    fn travel_us(&mut self, to: Place) -> u64 {
        let factor = self.pace.draw(&mut self.rng);
        (mean_travel_us(&self.hands, self.at, to) * factor) as u64
    }

    /// Goes somewhere.
    pub(crate) fn travel(&mut self, to: Place) {
        self.now_us += self.travel_us(to);
        self.at = to;
    }

    /// Goes to the clock.
    pub(crate) fn travel_to_clock(&mut self) {
        self.travel(self.hands.clock);
    }

    /// Takes hold of a piece, or lets go of it.
    pub(crate) fn grasp(&mut self) {
        self.wait(self.hands.grasp_us);
    }

    /// Holds still.
    pub(crate) fn wait(&mut self, us: u64) {
        self.now_us += us;
    }

    /// Notes a change on a square at the present moment.
    pub(crate) fn act(&mut self, square: Square, change: Change) {
        self.acts.push(Act { t_us: self.now_us, square, change, piece: None });
        self.first_touch_us.get_or_insert(self.now_us);
    }

    /// Notes which piece was put down last.
    pub(crate) fn name_last(&mut self, piece: Option<Piece>) {
        if let Some(act) = self.acts.last_mut() {
            act.piece = piece;
        }
    }

    /// Goes to a piece and lifts it.
    pub(crate) fn lift(&mut self, square: Square) {
        self.travel(Place::of(square));
        self.grasp();
        self.act(square, Change::Lift);
    }

    /// Goes to a square with a piece and puts it down.
    pub(crate) fn put(&mut self, square: Square, stand: Stand) {
        self.travel(Place::of(square));
        self.act(square, Change::Put(stand));
        self.grasp();
    }

    /// Takes a piece from the reserve.
    pub(crate) fn take_from_reserve(&mut self, side: Color) {
        self.travel(Place::reserve(side));
        self.grasp();
        self.first_touch_us.get_or_insert(self.now_us);
    }

    /// Lays a captured piece aside.
    pub(crate) fn lay_aside(&mut self, side: Color) {
        self.travel(Place::reserve(side));
        self.grasp();
    }

    /// Gives a captured piece to the partner; the partner holds it from the returned moment.
    pub(crate) fn hand_over(&mut self, side: Color) -> u64 {
        self.travel(Place::partner(side));
        self.grasp();
        self.now_us
    }

    /// A second hand, which starts at the same moment from the same place.
    pub(crate) fn other_hand(&self, rng: ChaCha8Rng) -> Motion {
        Motion { acts: Vec::new(), first_touch_us: None, shows: Vec::new(), rng, ..self.clone() }
    }

    /// Takes over what the second hand did; both are done when the later is.
    pub(crate) fn join(&mut self, other: Motion) {
        self.acts.extend(other.acts);
        self.shows.extend(other.shows);
        self.now_us = self.now_us.max(other.now_us);
        self.first_touch_us = match (self.first_touch_us, other.first_touch_us) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
    }

    /// Time of the last change on the board; pieces that settle late count at the moment they were put down.
    pub(crate) fn last_act_us(&self) -> u64 {
        self.acts.iter().map(|act| act.t_us).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn motion(spread: f64) -> Motion {
        let pace = Pace::of_person(spread, &mut ChaCha8Rng::seed_from_u64(3));
        Motion::new(Place::lap(Color::White), Hands::TABLE, pace, ChaCha8Rng::seed_from_u64(1))
    }

    #[test]
    fn an_ideal_hand_follows_fitts_law_to_the_microsecond() {
        let mut hand = Motion { at: Place::of(Square::A1), ..motion(0.0) };
        hand.travel(Place::of(Square::D1));
        // Three squares: 150 ms + 120 ms × log2(4).
        assert_eq!(hand.now_us, 390_000);
    }

    #[test]
    fn travel_times_spread_about_the_mean_they_have_without_spread() {
        let mut people = ChaCha8Rng::seed_from_u64(7);
        let draws: u32 = 4000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for person in 0..draws {
            let pace = Pace::of_person(0.35, &mut people);
            let rng = ChaCha8Rng::seed_from_u64(u64::from(person));
            let mut hand = Motion { at: Place::of(Square::A1), pace, rng, ..motion(0.35) };
            for _ in 0..2 {
                let relative = hand.travel_us(Place::of(Square::D1)) as f64 / 390_000.0;
                sum += relative;
                squares += relative * relative;
            }
        }
        let mean = sum / f64::from(2 * draws);
        let spread = (squares / f64::from(2 * draws) - mean * mean).sqrt();
        assert!((mean - 1.0).abs() < 0.03, "mean {mean}");
        assert!((spread / 0.35 - 1.0).abs() < 0.05, "spread {spread}");
    }

    #[test]
    fn a_quick_player_is_quick_all_match_long() {
        let quick = Pace { person: -0.3, within: 0.2 };
        let slow = Pace { person: 0.3, within: 0.2 };
        let total = |pace: Pace| -> u64 {
            let mut hand = Motion { pace, ..motion(0.3) };
            (0..200).map(|_| hand.travel_us(Place::of(Square::D4))).sum()
        };
        let ratio = total(slow) as f64 / total(quick) as f64;
        assert!((1.6..2.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn two_hands_are_done_when_the_slower_is() {
        let mut one = motion(0.0);
        let mut two = one.other_hand(ChaCha8Rng::seed_from_u64(2));
        one.lift(Square::E1);
        two.lift(Square::H8);
        let far = two.now_us;
        one.join(two);
        assert_eq!(one.now_us, far);
        assert_eq!(one.acts.len(), 2);
    }
}
