//! Speed of the hands of a board's two players, learnt while they play.
//!
//! ```text
//! travel(d) = TRAVEL_BASE_MS + TRAVEL_PER_BIT_MS · log2(1 + d)                                (Fitts 1954)
//! flight    ~ N(μ, spread · μ),  μ = q_flight · travel(from → to)
//! press     ~ N(μ, spread · μ),  μ = q_press · (RELEASE_MS + travel(to → clock))
//! drop      ~ N(μ, spread · μ),  μ = q_flight · travel(nearer reserve → to)
//! q      = median of the player's latest ratios of time to average time, and the four of UNKNOWN_PLAYER
//! spread = 1.4826 · median |ratio / q − 1| of both players, with SPREAD counted SPREAD_COUNT times, within SPREADS
//! ```
//!
//! d is a distance in squares; a square's side is also the width of every target. q is a player's
//! own factor of quickness. For presses the values of UNKNOWN_PLAYER are multiplied by q_flight.
//! The clock is taken to stand on the side of the board on which both players' times scatter less;
//! while it is not known, the nearer one is used. A player who is quick is thereby compared with
//! the own quickness.

use rules::{ByColor, Color, Square};

use crate::anomaly::hands::density::normal;
use crate::hand_times::{
    CLOCK_BESIDE, RELEASE_MS, RESERVE_BESIDE, TRAVEL_BASE_MS, TRAVEL_PER_BIT_MS,
};

/// Ratios remembered of each player, the latest. Assumed: the tempo changes when time gets short.
const REMEMBERED: usize = 48;
/// Ratio from which a time is no travel: somebody thought or was interrupted. Assumed.
const INTERRUPTED: f64 = 2.5;
/// Presses of both players that must be known before the clock's side is believed. Assumed.
const SIDE_KNOWN: usize = 12;
/// Prior of the spread of a person's times, relative to their mean. Assumed.
const SPREAD: f64 = 0.22;
/// Number of times that this prior counts. Assumed.
const SPREAD_COUNT: usize = 8;
/// Bounds of the learnt spread. Assumed.
const SPREADS: (f64, f64) = (0.10, 0.35);
/// Prior of a player's factor of quickness, as ratios that count like observed ones. Assumed.
const UNKNOWN_PLAYER: [f64; 4] = [0.85, 0.95, 1.05, 1.2];

/// Adds a ratio to the latest ones.
fn note(ratios: &mut Vec<f64>, ratio: f64) {
    if ratio > 0.0 && ratio < INTERRUPTED {
        if ratios.len() == REMEMBERED {
            ratios.remove(0);
        }
        ratios.push(ratio);
    }
}

/// The median of ratios, observed and prior.
fn median(observed: &[f64], prior: &[f64]) -> f64 {
    let mut all = [observed, prior].concat();
    all.sort_by(f64::total_cmp);
    (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0
}

/// The edge beside the clock, as White sees it: an index, not a quantity.
const RIGHT: usize = 0;
/// The other edge.
const LEFT: usize = 1;

/// A piece carried from its source to its target, and the press after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carried {
    /// None from the reserve.
    pub(crate) from: Option<Square>,
    pub(crate) to: Square,
    /// From lifting to landing, milliseconds, if the lift was seen: on the board, or in a tray's
    /// slot for a drop.
    pub(crate) flight_ms: Option<f64>,
    /// From landing to the press, milliseconds.
    pub(crate) press_ms: f64,
}

/// One player's hand. A ratio is of a time to the average hand's, the latest last.
#[derive(Clone, Debug, Default)]
struct Hand {
    flights: Vec<f64>,
    /// For a clock on the right and on the left.
    presses: [Vec<f64>; 2],
    /// Factor of quickness of flights, and of presses to a clock on the right and on the left.
    flight: f64,
    press: [f64; 2],
}

/// The hands of a board's two players.
#[derive(Clone, Debug)]
pub(crate) struct ReachTimes {
    players: ByColor<Hand>,
    /// Standard deviation of both players' times, relative to their means.
    pub(crate) spread: f64,
    /// The clock's side, if it is known.
    side: Option<usize>,
}

impl Default for ReachTimes {
    fn default() -> ReachTimes {
        let mut hands = ReachTimes { players: ByColor::default(), spread: SPREAD, side: None };
        hands.weigh();
        hands
    }
}

impl ReachTimes {
    /// Takes the times in which a player carried a piece and pressed.
    pub(crate) fn learn(&mut self, player: Color, carried: Carried) {
        let hand = &mut self.players[player];
        for side in [RIGHT, LEFT] {
            note(&mut hand.presses[side], carried.press_ms / press_mean_ms(carried.to, side));
        }
        if let (Some(from), Some(flight_ms)) = (carried.from, carried.flight_ms) {
            note(&mut hand.flights, flight_ms / flight_mean_ms(from, carried.to));
        }
        self.weigh();
    }

    fn weigh(&mut self) {
        for hand in &mut self.players {
            hand.flight = median(&hand.flights, &UNKNOWN_PLAYER);
            let like_flights = UNKNOWN_PLAYER.map(|ratio| ratio * hand.flight);
            hand.press = [RIGHT, LEFT].map(|side| median(&hand.presses[side], &like_flights));
        }
        let scatter = [RIGHT, LEFT].map(|side| self.scatter(side));
        let known: usize = self.players.iter().map(|hand| hand.presses[RIGHT].len()).sum();
        self.side = (known >= SIDE_KNOWN).then_some(usize::from(scatter[LEFT] < scatter[RIGHT]));
        self.spread = scatter[self.side.unwrap_or(RIGHT)].clamp(SPREADS.0, SPREADS.1);
    }

    /// The spread of both players' times if the clock is on this side.
    fn scatter(&self, side: usize) -> f64 {
        /// Ratio of the standard deviation to the median absolute deviation of a normal distribution.
        const TO_DEVIATION: f64 = 1.482_6;
        let of = self.players.iter().flat_map(|hand| {
            [(&hand.flights, hand.flight), (&hand.presses[side], hand.press[side])]
        });
        let off = of.flat_map(|(ratios, median)| {
            ratios.iter().map(move |ratio| (ratio / median - 1.0).abs())
        });
        median(&off.collect::<Vec<_>>(), &[SPREAD / TO_DEVIATION; SPREAD_COUNT]) * TO_DEVIATION
    }

    /// Density per millisecond of a time whose mean is this.
    pub(crate) fn density(&self, ms: f64, mean_ms: f64) -> f64 {
        normal(ms, mean_ms, self.spread * mean_ms)
    }

    /// Mean time in which this player carries a piece, milliseconds; from the nearer side of the
    /// reserve if `from` is none.
    pub(crate) fn flight_ms(&self, player: Color, from: Option<Square>, to: Square) -> f64 {
        let mean_ms = match from {
            Some(from) => flight_mean_ms(from, to),
            None => drop_mean_ms(player, to, RIGHT).min(drop_mean_ms(player, to, LEFT)),
        };
        mean_ms * self.players[player].flight
    }

    /// Mean time from landing a piece on `to` to this player's press, milliseconds. The nearer side
    /// is used while the clock's side is not known.
    pub(crate) fn press_ms(&self, player: Color, to: Square) -> f64 {
        let press = self.players[player].press;
        self.on_its_side(|side| press_mean_ms(to, side) * press[side])
    }

    /// Distance of the clock from a square, squares; of the nearer side while its side is not known.
    pub(crate) fn reach(&self, to: Square) -> f64 {
        self.on_its_side(|side| to_clock(to, side))
    }

    /// A number for the clock's side, or the lesser of both while that is not known.
    fn on_its_side(&self, number: impl Fn(usize) -> f64) -> f64 {
        self.side.map_or_else(|| number(RIGHT).min(number(LEFT)), &number)
    }
}

fn travel_ms(distance: f64) -> f64 {
    TRAVEL_BASE_MS + TRAVEL_PER_BIT_MS * libm::log2(1.0 + distance)
}

fn flight_mean_ms(from: Square, to: Square) -> f64 {
    let (from, to) = (middle(from), middle(to));
    travel_ms(libm::hypot(from.0 - to.0, from.1 - to.1))
}

fn press_mean_ms(to: Square, side: usize) -> f64 {
    RELEASE_MS + travel_ms(to_clock(to, side))
}

fn drop_mean_ms(player: Color, to: Square, side: usize) -> f64 {
    let (x, y) = middle(to);
    let (beside, before) = RESERVE_BESIDE;
    let reserve_x = if side == RIGHT { 8.0 + beside } else { -beside };
    let reserve_y = if player == Color::White { -before } else { 8.0 + before };
    travel_ms(libm::hypot(x - reserve_x, y - reserve_y))
}

/// Distance from a square to the clock, squares.
fn to_clock(to: Square, side: usize) -> f64 {
    let (x, y) = middle(to);
    let clock = if side == RIGHT { 8.0 + CLOCK_BESIDE } else { -CLOCK_BESIDE };
    libm::hypot(x - clock, y - 4.0)
}

/// The middle of a square, in squares from a1's outer corner.
fn middle(square: Square) -> (f64, f64) {
    (f64::from(u32::from(square.file())) + 0.5, f64::from(u32::from(square.rank())) + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses of a player who takes so many times the average, to a clock on `side`.
    fn play(hands: &mut ReachTimes, player: Color, pace: f64, side: usize) {
        for square in Square::ALL.into_iter().step_by(3) {
            let carried = Carried {
                from: Some(Square::E4),
                to: square,
                flight_ms: Some(pace * flight_mean_ms(Square::E4, square)),
                press_ms: pace * press_mean_ms(square, side),
            };
            hands.learn(player, carried);
        }
    }

    #[test]
    fn a_quick_player_is_compared_with_the_own_quickness() {
        let mut hands = ReachTimes::default();
        play(&mut hands, Color::White, 0.6, RIGHT);
        play(&mut hands, Color::Black, 1.3, RIGHT);
        let press_ms = 0.6 * press_mean_ms(Square::D4, RIGHT);
        let quick = hands.density(press_ms, hands.press_ms(Color::White, Square::D4));
        let slow = hands.density(press_ms, hands.press_ms(Color::Black, Square::D4));
        assert!(quick > 20.0 * slow, "{quick} {slow}");
    }

    #[test]
    fn the_side_of_the_clock_is_learnt_from_both_players() {
        for side in [RIGHT, LEFT] {
            let mut hands = ReachTimes::default();
            play(&mut hands, Color::White, 0.9, side);
            play(&mut hands, Color::Black, 1.1, side);
            assert_eq!(hands.side, Some(side));
            assert!((hands.reach(Square::A4) > 5.0) == (side == RIGHT));
        }
    }

    #[test]
    fn before_anything_is_known_the_nearer_side_is_taken() {
        let hands = ReachTimes::default();
        assert!(hands.reach(Square::A4) < 3.0 && hands.reach(Square::H4) < 3.0);
    }

    #[test]
    fn interruptions_are_no_travel() {
        let mut hands = ReachTimes::default();
        play(&mut hands, Color::White, 1.0, RIGHT);
        let before = hands.press_ms(Color::White, Square::D4);
        let carried = Carried { from: None, to: Square::D4, flight_ms: None, press_ms: 9_000.0 };
        for _ in 0..20 {
            hands.learn(Color::White, carried);
        }
        assert_eq!(hands.press_ms(Color::White, Square::D4), before);
    }
}
