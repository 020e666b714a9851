//! How fast the two players of a board move their hands, learnt while they play.
//!
//! The time a hand needs follows Fitts' law (Fitts 1954): a constant and a part per bit of
//! log2(1 + distance/width), a square's side being the unit of distance and the width of every target. People
//! differ in a factor, which is learnt for each player from the pieces carried over the board and from the ways
//! to the clock; how much one person's times scatter is learnt from both players together, and so is on
//! which side of the board the clock stands. Where a tray tells when a piece of the reserve is taken out, the way from there is learnt
//! in the same way, and on which side of the player the tray lies. Who is quick is compared with the own quickness.

use rules::{Color, Square};

use super::density::normal;

/// Fitts' law for a hand of average quickness, milliseconds: the part that does not depend on distance…
const BASE_MS: f64 = 150.0;
/// …and the part per bit.
const PER_BIT_MS: f64 = 120.0;
/// From landing a piece to letting go of it, milliseconds.
const RELEASE_MS: f64 = 40.0;
/// How far the clock stands from the board's edge, squares.
const CLOCK_BESIDE: f64 = 1.5;
/// How far a player's reserve lies beside the corner of the board and before its edge, squares.
const RESERVE_BESIDE: (f64, f64) = (0.5, 1.0);
/// Pieces a player must have taken from the reserve before the side on which it lies is believed.
const RESERVE_KNOWN: usize = 4;
/// Times remembered of each player, the latest: a tempo changes when time gets short.
const REMEMBERED: usize = 48;
/// A time so many times the usual one is no travel: somebody thought, or was interrupted.
const INTERRUPTED: f64 = 2.5;
/// Times of both players that must be known before the clock's side is believed.
const SIDE_KNOWN: usize = 12;
/// How much a person's times scatter, relative to their mean, where nothing is known…
const SPREAD: f64 = 0.22;
/// …how many times that is worth…
const SPREAD_COUNT: usize = 8;
/// …and between which bounds it is believed.
const SPREADS: (f64, f64) = (0.10, 0.35);
/// What a player is thought to have done before anything was seen, relative to the average.
const UNKNOWN_PLAYER: [f64; 4] = [0.85, 0.95, 1.05, 1.2];

/// Times relative to the average hand's, the latest last.
#[derive(Clone, Debug, Default)]
struct Ratios {
    latest: Vec<f64>,
}

impl Ratios {
    fn note(&mut self, ratio: f64) {
        if ratio > 0.0 && ratio < INTERRUPTED {
            if self.latest.len() == REMEMBERED {
                self.latest.remove(0);
            }
            self.latest.push(ratio);
        }
    }

    /// The median, with `before` counted in.
    fn median(&self, before: &[f64]) -> f64 {
        let mut all: Vec<f64> = self.latest.iter().chain(before).copied().collect();
        median(&mut all)
    }

    /// How far each is from their median, relative to it.
    fn off(&self, median: f64) -> Vec<f64> {
        self.latest.iter().map(|ratio| (ratio / median - 1.0).abs()).collect()
    }
}

fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    match all.len() {
        0 => 1.0,
        count if count % 2 == 1 => all[count / 2],
        count => (all[count / 2 - 1] + all[count / 2]) / 2.0,
    }
}

/// Beside which edge the clock stands or a reserve lies, seen by White.
const RIGHT: usize = 0;
const LEFT: usize = 1;

/// A piece carried from where it stood to where it stands, and the press after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carried {
    /// None from the reserve.
    pub(crate) from: Option<Square>,
    pub(crate) to: Square,
    /// From lifting to landing, milliseconds, where the lift was seen; of a drop by the slot it lay in.
    pub(crate) flight_ms: Option<f64>,
    /// From landing to the press, milliseconds.
    pub(crate) press_ms: f64,
}

/// One player's quickness.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quickness {
    flight: f64,
    /// To a clock on the right and on the left.
    press: [f64; 2],
    /// From a reserve on the right and on the left.
    drop: [f64; 2],
}

/// The hands of a board's two players.
#[derive(Clone, Debug)]
pub(crate) struct ReachTimes {
    flights: [Ratios; 2],
    /// To a clock on the right and on the left, of each player.
    presses: [[Ratios; 2]; 2],
    /// From a reserve on the right and on the left, of each player.
    drops: [[Ratios; 2]; 2],
    quickness: [Quickness; 2],
    spread: f64,
    /// The clock's side, if it is known.
    side: Option<usize>,
    /// The side of each player's reserve, if it is known.
    reserve_side: [Option<usize>; 2],
}

impl Default for ReachTimes {
    fn default() -> ReachTimes {
        let average = Quickness { flight: 1.0, press: [1.0; 2], drop: [1.0; 2] };
        let mut hands = ReachTimes {
            flights: Default::default(),
            presses: Default::default(),
            drops: Default::default(),
            quickness: [average; 2],
            spread: SPREAD,
            side: None,
            reserve_side: [None; 2],
        };
        hands.weigh();
        hands
    }
}

impl ReachTimes {
    /// Takes into account how a player carried a piece and pressed.
    pub(crate) fn learn(&mut self, player: Color, carried: Carried) {
        let of = usize::from(player.is_black());
        for side in [RIGHT, LEFT] {
            self.presses[of][side].note(carried.press_ms / press_mean_ms(carried.to, side));
        }
        match (carried.from, carried.flight_ms) {
            (Some(from), Some(flight_ms)) => {
                self.flights[of].note(flight_ms / flight_mean_ms(from, carried.to));
            }
            (None, Some(flight_ms)) => {
                for side in [RIGHT, LEFT] {
                    let mean_ms = drop_mean_ms(player, carried.to, side);
                    self.drops[of][side].note(flight_ms / mean_ms);
                }
            }
            (_, None) => {}
        }
        self.weigh();
    }

    fn weigh(&mut self) {
        for player in 0..2 {
            let flight = self.flights[player].median(&UNKNOWN_PLAYER);
            let like_flights = UNKNOWN_PLAYER.map(|ratio| ratio * flight);
            let press = [RIGHT, LEFT].map(|side| self.presses[player][side].median(&like_flights));
            let drop = [RIGHT, LEFT].map(|side| self.drops[player][side].median(&like_flights));
            self.quickness[player] = Quickness { flight, press, drop };
            let known = self.drops[player][RIGHT].latest.len();
            let off =
                [RIGHT, LEFT].map(|side| median(&mut self.drops[player][side].off(drop[side])));
            self.reserve_side[player] =
                (known >= RESERVE_KNOWN).then_some(usize::from(off[LEFT] < off[RIGHT]));
        }
        let scatter = [RIGHT, LEFT].map(|side| self.scatter(side));
        let known = self.presses.iter().map(|sides| sides[RIGHT].latest.len()).sum::<usize>();
        self.side = (known >= SIDE_KNOWN).then_some(usize::from(scatter[LEFT] < scatter[RIGHT]));
        self.spread = scatter[self.side.unwrap_or(RIGHT)].clamp(SPREADS.0, SPREADS.1);
    }

    /// How much both players' times scatter about their own medians if the clock stands on this side.
    fn scatter(&self, side: usize) -> f64 {
        /// From the median of absolute deviations to a standard deviation, for normal deviations.
        const TO_DEVIATION: f64 = 1.482_6;
        let mut off = vec![SPREAD / TO_DEVIATION; SPREAD_COUNT];
        for (player, quickness) in self.quickness.iter().enumerate() {
            off.extend(self.flights[player].off(quickness.flight));
            off.extend(self.presses[player][side].off(quickness.press[side]));
        }
        median(&mut off) * TO_DEVIATION
    }

    /// Density per millisecond of carrying a piece for so long, from the reserve if from no square.
    pub(crate) fn flight_density(
        &self,
        player: Color,
        from: Option<Square>,
        to: Square,
        flight_ms: f64,
    ) -> f64 {
        let mean_ms = self.flight_ms(player, from, to);
        normal(flight_ms, mean_ms, self.spread * mean_ms)
    }

    /// How long this player's hand takes to carry a piece, milliseconds, from the reserve if from no square. While it is not known
    /// on which side that lies, the nearer one is taken.
    pub(crate) fn flight_ms(&self, player: Color, from: Option<Square>, to: Square) -> f64 {
        let of = usize::from(player.is_black());
        let quickness = &self.quickness[of];
        if let Some(from) = from {
            return flight_mean_ms(from, to) * quickness.flight;
        }
        let mean_ms = |side: usize| drop_mean_ms(player, to, side) * quickness.drop[side];
        match self.reserve_side[of] {
            Some(side) => mean_ms(side),
            None => mean_ms(RIGHT).min(mean_ms(LEFT)),
        }
    }

    /// How much both players' times scatter, relative to their means.
    pub(crate) fn spread(&self) -> f64 {
        self.spread
    }

    /// Density per millisecond of a press so long after landing a piece on `to`, with the hand that landed it.
    pub(crate) fn press_density(&self, player: Color, to: Square, press_ms: f64) -> f64 {
        let mean_ms = self.press_ms(player, to);
        normal(press_ms, mean_ms, self.spread * mean_ms)
    }

    /// How long this player's hand takes from landing a piece on `to` to the press, milliseconds. While the
    /// clock's side is not known, the nearer one is taken.
    pub(crate) fn press_ms(&self, player: Color, to: Square) -> f64 {
        let quickness = &self.quickness[usize::from(player.is_black())];
        let mean_ms = |side: usize| press_mean_ms(to, side) * quickness.press[side];
        match self.side {
            Some(side) => mean_ms(side),
            None => mean_ms(RIGHT).min(mean_ms(LEFT)),
        }
    }

    /// How far the clock is from a square, squares; the nearer side while its side is not known.
    pub(crate) fn reach(&self, to: Square) -> f64 {
        match self.side {
            Some(side) => to_clock(to, side),
            None => to_clock(to, RIGHT).min(to_clock(to, LEFT)),
        }
    }
}

fn travel_ms(distance: f64) -> f64 {
    BASE_MS + PER_BIT_MS * libm::log2(1.0 + distance)
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
        let quick = hands.press_density(Color::White, Square::D4, press_ms);
        let slow = hands.press_density(Color::Black, Square::D4, press_ms);
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
    fn the_side_of_a_reserve_is_learnt_from_what_is_dropped_and_from_how_far_away() {
        for (side, far, near) in [(RIGHT, Square::A1, Square::H1), (LEFT, Square::H1, Square::A1)] {
            let mut hands = ReachTimes::default();
            for to in [Square::A2, Square::H2, Square::B4, Square::G3, Square::C1, Square::F5] {
                let flight_ms = Some(0.9 * drop_mean_ms(Color::White, to, side));
                let press_ms = 0.9 * press_mean_ms(to, RIGHT);
                hands.learn(Color::White, Carried { from: None, to, flight_ms, press_ms });
            }
            let flight_ms = |to| hands.flight_ms(Color::White, None, to);
            assert!(flight_ms(far) > 1.5 * flight_ms(near), "{side}");
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
