//! ```text
//! p(colour c | piece) = 1 - WRONG_COLOUR   if the piece has colour c,   WRONG_COLOUR        otherwise
//! p(letter l | piece) = 1 - WRONG_LETTER   if the piece is l,           WRONG_LETTER / 11   otherwise
//! p(levels   | piece)   by the normal distribution of `levels.rs`
//! ```
//!
//! The readings of one square since it last changed, and their likelihood for each piece.
//!
//! Of colours and letters only the last reading counts; of levels their mean and number do.

use rules::{Color, Piece};

use super::{Levels, Table};

/// Probability that a colour is read wrongly. Assumed: set by hand.
const WRONG_COLOUR: f64 = 2e-3;
/// Probability that a letter is read wrongly, for all eleven wrong pieces together. Assumed: set by hand.
/// One wrong piece gets less than the floor of a [`Table`], so the floor counts there.
const WRONG_LETTER: f64 = 3e-3;

/// One reading of the piece on a square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum IdentityReading {
    /// A piece of this colour.
    Colour(Color),
    /// This piece.
    Letter(Piece),
    /// This level, counts.
    Level(i32),
}

/// All readings of one piece on one square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    /// The last reading.
    last: Option<IdentityReading>,
    /// Number and sum of the levels.
    levels: u32,
    sum: f64,
}

impl Placement {
    /// No reading.
    pub(super) const NONE: Placement = Placement { last: None, levels: 0, sum: 0.0 };

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Whether the reading must be of another piece than the readings before.
    pub(super) fn is_other(&self, says: IdentityReading, levels: &Levels) -> bool {
        match (self.last, says) {
            (Some(IdentityReading::Colour(before)), IdentityReading::Colour(now)) => before != now,
            (Some(IdentityReading::Letter(before)), IdentityReading::Letter(now)) => before != now,
            (Some(IdentityReading::Level(_)), IdentityReading::Level(now)) => {
                let before = self.sum / f64::from(self.levels.max(1));
                levels.is_other(before, self.levels, f64::from(now))
            }
            _ => false,
        }
    }

    /// Takes a reading and returns whether it tells anything new.
    pub(super) fn add(&mut self, says: IdentityReading) -> bool {
        let last = self.last != Some(says) || matches!(says, IdentityReading::Level(_));
        self.repeat(says);
        last
    }

    /// Takes a reading.
    pub(super) fn repeat(&mut self, says: IdentityReading) {
        self.last = Some(says);
        if let IdentityReading::Level(level) = says {
            self.levels += 1;
            self.sum += f64::from(level);
        }
    }

    /// The mean level, counts, if levels were read.
    pub(super) fn level(&self) -> Option<f64> {
        (self.levels > 0).then(|| self.sum / f64::from(self.levels))
    }

    /// Likelihood of all these readings for each piece.
    pub(super) fn table(&self, levels: &Levels) -> Table {
        match self.last {
            None => Table::FLAT,
            Some(IdentityReading::Colour(color)) => {
                Table::new(
                    |piece| {
                        if piece.color == color { 1.0 - WRONG_COLOUR } else { WRONG_COLOUR }
                    },
                )
            }
            Some(IdentityReading::Letter(letter)) => {
                Table::new(
                    |piece| {
                        if piece == letter { 1.0 - WRONG_LETTER } else { WRONG_LETTER / 11.0 }
                    },
                )
            }
            Some(IdentityReading::Level(_)) => {
                levels.table(self.sum / f64::from(self.levels.max(1)))
            }
        }
    }
}
