//! How long a hand takes between two places of a table: Fitts' law (Fitts 1954).
//!
//! Whether somebody pressed too soon, with the wrong hand or at the right time is judged against the way
//! that a hand has to go. The clock is taken to stand beside the middle of the board, on White's
//! right; where it really stands is not known, so only ratios well beyond the difference count.

use rules::Square;

/// Fitts' law: the part that does not depend on the distance, milliseconds.
const BASE_MS: f64 = 150.0;
/// Fitts' law: the part for each bit of difficulty, milliseconds.
const PER_BIT_MS: f64 = 120.0;
/// Letting go of a piece, milliseconds.
const RELEASE_MS: f64 = 40.0;
/// Where the clock stands, in squares from a1's outer corner.
const CLOCK: (f64, f64) = (9.5, 4.0);
/// Spread of the logarithm of a travel time, for hands of all ages.
pub(crate) const SPREAD_LN: f64 = 0.35;

fn middle(square: Square) -> (f64, f64) {
    let (file, rank) = square.coords();
    (f64::from(u32::from(file)) + 0.5, f64::from(u32::from(rank)) + 0.5)
}

fn travel_ms(from: (f64, f64), to: (f64, f64)) -> f64 {
    let distance = libm::hypot(from.0 - to.0, from.1 - to.1);
    BASE_MS + PER_BIT_MS * libm::log2(1.0 + distance)
}

/// Mean time from lifting a piece to setting it down, milliseconds.
pub(crate) fn carry_ms(from: Square, to: Square) -> f64 {
    travel_ms(middle(from), middle(to))
}

/// Mean time from setting a piece down to the press, milliseconds.
pub(crate) fn to_clock_ms(square: Square) -> f64 {
    RELEASE_MS + travel_ms(middle(square), CLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn farther_takes_longer() {
        assert!(to_clock_ms(Square::A1) > to_clock_ms(Square::H4));
        assert!(carry_ms(Square::A1, Square::H8) > carry_ms(Square::A1, Square::A2));
    }
}
