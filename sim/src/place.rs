//! Places on and beside a board: squares, the clock, laps, reserves.

use rules::{Color, Square};

/// A place on or beside the board, in squares from a1's outer corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    x: f64,
    y: f64,
}

impl Place {
    /// The middle of a square.
    pub(crate) fn of(square: Square) -> Place {
        Place {
            x: f64::from(u32::from(square.file())) + 0.5,
            y: f64::from(u32::from(square.rank())) + 0.5,
        }
    }

    /// The clock, beside the board.
    pub(crate) const CLOCK: Place = Place { x: 9.5, y: 4.0 };

    /// A clock to the right of the board, as White sees it, or to the left: its distance from the edge in squares, and the squares towards
    /// Black from the middle.
    pub(crate) fn beside(is_right: bool, squares: f64, along: f64) -> Place {
        let x = if is_right { 8.0 + squares } else { -squares };
        Place { x, y: 4.0 + along }
    }

    /// Resting place of a player's hand.
    pub(crate) const fn lap(side: Color) -> Place {
        Place { x: 4.0, y: Self::near(side) }
    }

    /// Place of a player's reserve.
    pub(crate) const fn reserve(side: Color) -> Place {
        Place { x: 8.5, y: Self::near(side) }
    }

    /// Place at which the partner receives captured pieces: beside the board, at the player's left or right hand.
    pub(crate) const fn partner(side: Color) -> Place {
        match side {
            Color::White => Place { x: -1.5, y: 0.0 },
            Color::Black => Place { x: -1.5, y: 8.0 },
        }
    }

    const fn near(side: Color) -> f64 {
        match side {
            Color::White => -1.0,
            Color::Black => 9.0,
        }
    }

    #[cfg(test)]
    pub(crate) fn is_on_the_board(self) -> bool {
        (0.0..=8.0).contains(&self.x) && (0.0..=8.0).contains(&self.y)
    }

    #[cfg(test)]
    pub(crate) fn is_right_of_the_board(self) -> bool {
        self.x > 8.0
    }

    pub(crate) fn distance(self, other: Place) -> f64 {
        libm::hypot(self.x - other.x, self.y - other.y)
    }
}
