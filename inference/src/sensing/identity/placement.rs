//! What one square has said since it last changed.

use rules::{Color, Piece};

use super::{Levels, Table};

/// How often a colour is read wrongly.
const WRONG_COLOUR: f64 = 2e-3;
/// How often a letter is read wrongly.
const WRONG_LETTER: f64 = 3e-3;

/// What a square says of what stands on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum IdentityReading {
    /// A piece of this colour.
    Colour(Color),
    /// This piece.
    Letter(Piece),
    /// This level, counts.
    Level(i32),
}

/// All that has been said of one piece on one square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    /// What was said last.
    told: Option<IdentityReading>,
    /// Number and sum of the levels.
    levels: u32,
    sum: f64,
}

impl Placement {
    /// Nothing is known to stand there.
    pub(super) const NONE: Placement = Placement { told: None, levels: 0, sum: 0.0 };

    pub(super) fn is_empty(&self) -> bool {
        self.told.is_none()
    }

    /// Whether `says` must be about another piece than what was said before.
    pub(super) fn is_other(&self, says: IdentityReading, levels: &Levels) -> bool {
        match (self.told, says) {
            (Some(IdentityReading::Colour(before)), IdentityReading::Colour(now)) => before != now,
            (Some(IdentityReading::Letter(before)), IdentityReading::Letter(now)) => before != now,
            (Some(IdentityReading::Level(_)), IdentityReading::Level(now)) => {
                let before = self.sum / f64::from(self.levels.max(1));
                levels.is_other(before, self.levels, f64::from(now))
            }
            _ => false,
        }
    }

    /// Takes what is said; whether it says anything that was not known. What levels do when they are read
    /// again is learnt.
    pub(super) fn add(&mut self, says: IdentityReading, levels: &mut Levels) -> bool {
        if let (IdentityReading::Level(now), true) = (says, self.levels > 0) {
            levels.read_again(self.sum / f64::from(self.levels), self.levels, f64::from(now));
        }
        let told = self.told != Some(says) || matches!(says, IdentityReading::Level(_));
        self.repeat(says);
        told
    }

    /// The same for what has been learnt from already.
    pub(super) fn repeat(&mut self, says: IdentityReading) {
        self.told = Some(says);
        if let IdentityReading::Level(level) = says {
            self.levels += 1;
            self.sum += f64::from(level);
        }
    }

    /// The mean level, if levels were read.
    pub(super) fn level(&self) -> Option<f64> {
        (self.levels > 0).then(|| self.sum / f64::from(self.levels))
    }

    /// How likely all that is for each piece.
    pub(super) fn table(&self, levels: &Levels) -> Table {
        match self.told {
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
                let mean = self.sum / f64::from(self.levels.max(1));
                levels.table(mean, self.levels)
            }
        }
    }
}
