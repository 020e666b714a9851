//! Randomness that a change of one behaviour does not shuffle: every question has a stream of its
//! own, keyed by its subject, and no stream is ever read by two questions.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::BoardId;

use crate::profile::{Behaviour, Profile};

/// Sources of random numbers besides the table's behaviours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Topic {
    /// Travel times of the hand that makes a ply…
    Travel = 128,
    /// …of a hand that adjusts a piece in the opponent's turn…
    TravelToAdjust,
    /// …of one that gives a captured piece to the partner after the press…
    TravelToPass,
    /// …and of one that puts back what fell after the clock was pressed.
    TravelToPutBack,
    /// Sequel of a forgotten press.
    Forgotten,
    /// Sequel of knocked-over pieces.
    Accident,
    /// Thinking times that no recorded clock tells.
    Think,
    /// Start and end of the match.
    Ceremony,
    /// Bounce of the contacts.
    Bounce,
    /// Choice between forms of one behaviour, and its durations.
    Form,
    /// Constant traits of a player.
    Person,
    /// Mishaps of a board's clock.
    Clock,
    /// Piece in the place of a promoted pawn.
    Promoted,
    /// Noise of sensors that distinguish pieces.
    Magnet,
    /// Time and slot of a captured piece in its tray.
    Tray,
    /// Hands of a match.
    Hands,
}

/// All random streams of one match.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    key: [u8; 32],
}

impl Chance {
    /// Streams for a match: the same seed and name give the same streams.
    pub(crate) fn new(seed: u64, match_id: &str, profile: Profile) -> Chance {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(match_id.as_bytes()).to_le_bytes());
        key[16] = profile as u8;
        Chance { key }
    }

    /// The stream of one question at one place: `index` is the ply's position in the match, or a
    /// square, whichever the question is about.
    fn keyed(&self, board: BoardId, index: usize, topic: u8, sub: u8) -> ChaCha8Rng {
        let mut key = self.key;
        key[17] = board.index() as u8;
        key[18] = topic;
        key[19] = sub;
        key[24..].copy_from_slice(&(index as u64).to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }

    /// The stream of a topic.
    pub(crate) fn topic(&self, board: BoardId, index: usize, topic: Topic) -> ChaCha8Rng {
        self.keyed(board, index, topic as u8, 0)
    }

    /// The stream of one behaviour's forms and durations at a place.
    pub(crate) fn form(&self, board: BoardId, index: usize, behaviour: Behaviour) -> ChaCha8Rng {
        self.keyed(board, index, Topic::Form as u8, behaviour as u8)
    }

    /// A number from 0 to 1 that decides one behaviour at a place.
    pub(crate) fn draw(&self, board: BoardId, index: usize, behaviour: Behaviour) -> f64 {
        self.keyed(board, index, behaviour as u8, 0).random()
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A duration drawn evenly between two bounds given in milliseconds, in microseconds.
pub(crate) fn between_ms(rng: &mut ChaCha8Rng, low_ms: u64, high_ms: u64) -> u64 {
    rng.random_range(low_ms * 1000..=high_ms * 1000)
}

/// A draw from the standard normal distribution (Box–Muller; `libm`, for the same bits everywhere).
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let radius: f64 = 1.0 - rng.random::<f64>();
    let angle: f64 = rng.random();
    libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(core::f64::consts::TAU * angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_questions_differ_and_of_the_same_question_agree() {
        let chance = Chance::new(1, "g1", Profile::Club);
        let draw = |c: &Chance, b, i, w| c.draw(b, i, w);
        let first = draw(&chance, BoardId::A, 3, Behaviour::Drag);
        assert_eq!(first, draw(&chance.clone(), BoardId::A, 3, Behaviour::Drag));
        assert_ne!(first, draw(&chance, BoardId::B, 3, Behaviour::Drag));
        assert_ne!(first, draw(&chance, BoardId::A, 4, Behaviour::Drag));
        assert_ne!(first, draw(&chance, BoardId::A, 3, Behaviour::Adjust));
        assert_ne!(
            first,
            draw(&Chance::new(2, "g1", Profile::Club), BoardId::A, 3, Behaviour::Drag)
        );
        assert_ne!(
            first,
            draw(&Chance::new(1, "g2", Profile::Club), BoardId::A, 3, Behaviour::Drag)
        );
    }
}
