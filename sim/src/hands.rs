//! Hands of one match: places, speed, and durations of their acts.
//!
//! Two sources. [`Hands::TABLE`] holds the constants that every match of the table's players shares.
//! [`Hands::drawn`] draws each of them for every match, from ranges around the table's value that are
//! much wider than what one table says: nobody has measured real hands, so a tracker must hold for
//! hands that it was not fitted to. All durations scale by one factor each, log-uniform within
//! [`Factors`]: by default about half of the draws are longer than the table's value. What is not among
//! the fields of [`Hands`], such as how long a piece is dragged, lasts as the table says.

use std::str::FromStr;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{chance::between_ms, place::Place};

/// Fitts' law: the part that does not depend on distance.
const TRAVEL_BASE_US: f64 = 150_000.0;
/// Fitts' law: the part per bit of difficulty.
const TRAVEL_PER_BIT_US: f64 = 120_000.0;
/// From touching a piece to lifting it, and from landing it to letting go, microseconds.
const GRASP_US: u64 = 40_000;
/// An early press comes so long before the piece stands, milliseconds: least and most, evenly.
const EARLY_PRESS_MS: (u64, u64) = (20, 250);
/// The other hand presses so long after the piece stands, milliseconds: least and most, evenly.
const OTHER_HAND_MS: (u64, u64) = (20, 220);
/// A piece off centre is read so long after it was put down, or flickers until then, milliseconds: least and most, evenly.
const OFF_CENTRE_MS: (u64, u64) = (50, 800);
/// Others take from … to … milliseconds.
const LAY_MS: (u64, u64) = (200, 600);

/// Least and greatest factor of a drawn value to the table's, above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    least: f64,
    most: f64,
}

impl Factors {
    /// Factors of every rate, and of every duration unless others are chosen. Assumed.
    pub const USUAL: Factors = Factors { least: 0.3, most: 3.0 };

    /// A factor between the least and the greatest, as likely below their geometric mean as above it.
    pub(crate) fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        let (least, most) = (libm::log(self.least), libm::log(self.most));
        libm::exp(rng.random_range(least..=most))
    }

    /// Whether a factor is no greater than the greatest, rounding aside.
    #[cfg(test)]
    pub(crate) fn admits(self, factor: f64) -> bool {
        factor <= self.most + 1e-9
    }
}

/// A text that is no range of factors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected the least and the greatest factor, above 0, as in 0.15..6")]
pub struct ParseFactorsError;

impl FromStr for Factors {
    type Err = ParseFactorsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once("..").ok_or(ParseFactorsError)?;
        match (least.parse(), most.parse()) {
            (Ok(least), Ok(most)) if 0.0 < least && least <= most && most < f64::INFINITY => {
                Ok(Factors { least, most })
            }
            _ => Err(ParseFactorsError),
        }
    }
}

/// Fitts's law, the part that does not depend on distance, microseconds: least and most of a drawn match.
const DRAWN_BASE_US: (f64, f64) = (80_000.0, 250_000.0);
/// Fitts's law, the part per bit of difficulty, microseconds: least and most.
const DRAWN_PER_BIT_US: (f64, f64) = (70_000.0, 180_000.0);
/// From touching to lifting and from landing to letting go, microseconds: least and most.
const DRAWN_GRASP_US: (f64, f64) = (15_000.0, 90_000.0);
/// The clock's distance from the board's edge, squares: least and most.
const DRAWN_CLOCK_BESIDE: (f64, f64) = (0.8, 3.0);
/// Maximum distance of the clock from the line between the players' halves, squares, to either side.
const DRAWN_CLOCK_ALONG: f64 = 1.5;
/// Share of forgotten presses noticed late, and of accidents with a press before all pieces stand.
const DRAWN_SHARE: (f64, f64) = (0.1, 0.9);
/// Share of forgotten presses that the player notices while the opponent moves.
const NOTICED_LATE: f64 = 0.4;
/// Share of accidents with a press before displaced pieces have been put back.
const PRESSED_AFTER_DISPLACING: f64 = 0.4;

/// The hands of one match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hands {
    /// Place of the clock.
    pub(crate) clock: Place,
    /// Fitts's law: the part that does not depend on distance, microseconds.
    pub(crate) travel_base_us: f64,
    /// Fitts's law: the part per bit of difficulty, microseconds.
    pub(crate) travel_per_bit_us: f64,
    /// From touching a piece to lifting it, and from landing it to letting go, microseconds.
    pub(crate) grasp_us: u64,
    /// An early press comes so long before the piece stands.
    pub(crate) early_press: Window,
    /// The other hand presses so long after the piece stands.
    pub(crate) other_hand: Window,
    /// A piece off centre is read so late.
    pub(crate) off_centre: Window,
    /// A piece is laid into its tray so long after it was handed over.
    pub(crate) lay: Window,
    /// Time of a piece in the hand of a player who changes the mind: factor to the table's.
    pub(crate) second_thoughts: f64,
    /// Time of a nudged piece off its contact: factor to the table's.
    pub(crate) nudge: f64,
    /// Time of fallen pieces before a hand puts them back: factor to the table's.
    pub(crate) puts_back: f64,
    /// Share of forgotten presses that the player notices while the opponent moves.
    pub(crate) noticed_late: f64,
    /// Share of accidents with a press before displaced pieces have been put back.
    pub(crate) pressed_after_displacing: f64,
}

/// A duration between two bounds, milliseconds, drawn evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window(u64, u64);

impl Window {
    /// A duration, microseconds.
    pub(crate) fn draw(self, rng: &mut ChaCha8Rng) -> u64 {
        between_ms(rng, self.0, self.1)
    }

    const fn of((least_ms, most_ms): (u64, u64)) -> Window {
        Window(least_ms, most_ms)
    }

    fn times(self, factor: f64) -> Window {
        let scaled = |ms: u64| (ms as f64 * factor) as u64;
        Window(scaled(self.0), scaled(self.1).max(scaled(self.0) + 1))
    }
}

fn between(rng: &mut ChaCha8Rng, (least, most): (f64, f64)) -> f64 {
    rng.random_range(least..=most)
}

impl Hands {
    /// Time until fallen pieces are put back, microseconds; the table's bounds are in milliseconds.
    pub(crate) fn after_fall(&self, rng: &mut ChaCha8Rng, table_ms: (u64, u64)) -> u64 {
        (between_ms(rng, table_ms.0, table_ms.1) as f64 * self.puts_back) as u64
    }

    /// The hands of the table of behaviours.
    pub(crate) const TABLE: Hands = Hands {
        clock: Place::CLOCK,
        travel_base_us: TRAVEL_BASE_US,
        travel_per_bit_us: TRAVEL_PER_BIT_US,
        grasp_us: GRASP_US,
        early_press: Window::of(EARLY_PRESS_MS),
        other_hand: Window::of(OTHER_HAND_MS),
        off_centre: Window::of(OFF_CENTRE_MS),
        lay: Window::of(LAY_MS),
        second_thoughts: 1.0,
        nudge: 1.0,
        puts_back: 1.0,
        noticed_late: NOTICED_LATE,
        pressed_after_displacing: PRESSED_AFTER_DISPLACING,
    };

    /// Drawn hands of one match; `factors` are those of its durations.
    pub(crate) fn drawn(rng: &mut ChaCha8Rng, factors: Factors) -> Hands {
        let beside = between(rng, DRAWN_CLOCK_BESIDE);
        let along = between(rng, (-DRAWN_CLOCK_ALONG, DRAWN_CLOCK_ALONG));
        // By the rules Black chooses the side; at a club the clock has its usual place.
        let is_right = rng.random_bool(0.5);
        Hands {
            clock: Place::beside(is_right, beside, along),
            travel_base_us: between(rng, DRAWN_BASE_US),
            travel_per_bit_us: between(rng, DRAWN_PER_BIT_US),
            grasp_us: between(rng, DRAWN_GRASP_US) as u64,
            early_press: Hands::TABLE.early_press.times(factors.draw(rng)),
            other_hand: Hands::TABLE.other_hand.times(factors.draw(rng)),
            off_centre: Hands::TABLE.off_centre.times(factors.draw(rng)),
            lay: Hands::TABLE.lay.times(factors.draw(rng)),
            second_thoughts: factors.draw(rng),
            nudge: factors.draw(rng),
            puts_back: factors.draw(rng),
            noticed_late: between(rng, DRAWN_SHARE),
            pressed_after_displacing: between(rng, DRAWN_SHARE),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn factors_lie_between_their_bounds_and_half_of_them_below_the_geometric_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for factors in [Factors::USUAL, Factors { least: 0.15, most: 6.0 }] {
            let Factors { least, most } = factors;
            let draws: Vec<f64> = (0..4_000).map(|_| factors.draw(&mut rng)).collect();
            assert!(draws.iter().all(|draw| (least - 1e-9..=most + 1e-9).contains(draw)));
            let middle = libm::sqrt(least * most);
            let below = draws.iter().filter(|&&draw| draw < middle).count();
            assert!((1_850..2_150).contains(&below), "{below}");
        }
    }

    #[test]
    fn factors_are_read_from_the_least_to_the_greatest_and_are_above_nothing() {
        assert_eq!("0.15..6".parse(), Ok(Factors { least: 0.15, most: 6.0 }));
        for text in ["3", "3..0.3", "0..3", "-1..3", "0.3..inf", "nan..3"] {
            assert_eq!(text.parse::<Factors>(), Err(ParseFactorsError), "{text}");
        }
    }

    #[test]
    fn the_clock_stands_on_either_side_and_never_on_the_board() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let clocks: Vec<Place> =
            (0..200).map(|_| Hands::drawn(&mut rng, Factors::USUAL).clock).collect();
        assert!(clocks.iter().all(|clock| !clock.is_on_the_board()));
        let right = clocks.iter().filter(|clock| clock.is_right_of_the_board()).count();
        assert!((70..130).contains(&right), "{right}");
    }
}
