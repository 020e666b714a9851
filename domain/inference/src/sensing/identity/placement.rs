//! ```text
//! p(colour c | piece) = 1 - WRONG_COLOUR   if the piece has colour c,   WRONG_COLOUR        otherwise
//! p(letter l | piece) = 1 - WRONG_LETTER   if the piece is l,           WRONG_LETTER / 11   otherwise
//! p(levels   | piece)   by the normal distribution of `levels.rs`
//! ```
//!
//! The readings of one square since it last changed, and their likelihood for each piece.
//!
//! Of colours and letters only the last reading counts; of levels their mean and number do.

use readings::SquareReading;

use super::{levels::Levels, table::Table};

/// Probability that a colour is read wrongly. Assumed: set by hand.
const WRONG_COLOUR: f64 = 2e-3;
/// Probability that a letter is read wrongly, for all eleven wrong pieces together. Assumed: set by hand.
/// One wrong piece gets less than the floor of a [`Table`], so the floor counts there.
const WRONG_LETTER: f64 = 3e-3;

/// All readings of one piece on one square.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Placement {
    /// The last reading.
    last: Option<SquareReading>,
    /// Number and sum of the levels.
    pub(super) levels: u32,
    sum: f64,
}

impl Placement {
    /// The piece that the last reading names.
    pub(super) const fn named(&self) -> Option<rules::Piece> {
        match self.last {
            Some(SquareReading::Piece(piece)) => Some(piece),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Whether the reading must be of another piece than the readings before.
    pub(super) fn is_other(&self, says: SquareReading, levels: &Levels) -> bool {
        match (self.last, says) {
            (Some(SquareReading::Side(before)), SquareReading::Side(now)) => before != now,
            (Some(SquareReading::Piece(before)), SquareReading::Piece(now)) => before != now,
            (Some(SquareReading::Level(_)), SquareReading::Level(now)) => {
                levels.is_other(self.level(), self.levels, f64::from(now))
            }
            _ => false,
        }
    }

    /// Takes a reading and returns whether it tells anything new.
    pub(super) fn add(&mut self, says: SquareReading) -> bool {
        let is_new = self.last != Some(says) || matches!(says, SquareReading::Level(_));
        self.repeat(says);
        is_new
    }

    /// Takes a reading.
    pub(super) fn repeat(&mut self, says: SquareReading) {
        self.last = Some(says);
        if let SquareReading::Level(level) = says {
            self.levels += 1;
            self.sum += f64::from(level);
        }
    }

    /// The mean level, counts; 0 if no level was read.
    pub(super) fn level(&self) -> f64 {
        self.sum / f64::from(self.levels.max(1))
    }

    /// Likelihood of all these readings for each piece.
    pub(super) fn table(&self, levels: &Levels) -> Table {
        if let Some(SquareReading::Level(_)) = self.last {
            return levels.table(self.level());
        }
        Table::new(|piece| match self.last {
            Some(SquareReading::Side(color)) if piece.color == color => 1.0 - WRONG_COLOUR,
            Some(SquareReading::Side(_)) => WRONG_COLOUR,
            Some(SquareReading::Piece(letter)) if piece == letter => 1.0 - WRONG_LETTER,
            Some(SquareReading::Piece(_)) => WRONG_LETTER / 11.0,
            _ => 1.0,
        })
    }
}
