//! What people know about a match and the sensors do not: what a ply was, what stood on the boards at
//! the end, that it was mate.
//!
//! A fact is strong evidence and no certainty: people err, and so does what they are asked about. It
//! weighs paths by named likelihoods (`weigh.rs`), so that facts that contradict each other, or that
//! no path supports, break nothing; what could not be reconciled is said ([`Unreconciled`]).
//!
//! A ply is identified by its board, its side and about when it was completed. Its number in the
//! inferred file is what people use, but inferring anew may find a ply that was missed and so shift the
//! numbers; [`Facts::anchored`] therefore ties every number to board, side and time, by the file the person
//! looked at.

mod anchor;
mod ending;
mod file;
mod line;
mod placement;
mod ply;
mod stands;
mod weigh;

use std::fmt;

pub use ending::{EndingFact, MatchResult};
pub use file::{FactError, FactsFile, MAX_FACTS, write_facts};
pub use placement::{FinalBoard, FinalBoardError, FinalFact};
pub(crate) use ply::nearest;
pub use ply::{Place, PlyFact, Said};
pub use stands::StandsFact;
pub(crate) use weigh::{About, Weighing, likelihood};

/// One thing that somebody knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// What one ply was, or was not.
    Ply(PlyFact),
    /// What stood on the boards, and was held, when the match ended.
    Final(FinalFact),
    /// How the match ended.
    Ending(EndingFact),
    /// Which position was put up again in the middle of the match.
    Stands(StandsFact),
}

impl Fact {
    /// Whether it is about the end of the match, and so weighs what stood there.
    pub(crate) const fn is_of_end(&self) -> bool {
        matches!(self, Fact::Final(_) | Fact::Ending(_))
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Ply(fact) => fact.fmt(f),
            Fact::Final(fact) => fact.fmt(f),
            Fact::Ending(fact) => fact.fmt(f),
            Fact::Stands(fact) => fact.fmt(f),
        }
    }
}

/// All that is known of one match, in the order it was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    facts: Vec<Fact>,
}

impl Facts {
    /// Nothing is known beyond the readings.
    #[must_use]
    pub const fn none() -> Facts {
        Facts { facts: Vec::new() }
    }

    /// Adds one. Beyond [`MAX_FACTS`] they are passed over.
    pub fn push(&mut self, fact: Fact) {
        if self.facts.len() < MAX_FACTS {
            self.facts.push(fact);
        }
    }

    /// The facts, in the order they were told.
    pub fn iter(&self) -> std::slice::Iter<'_, Fact> {
        self.facts.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Those about plies.
    pub(crate) fn plies(&self) -> impl Iterator<Item = &PlyFact> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Ply(fact) => Some(fact),
            _ => None,
        })
    }
}

impl FromIterator<Fact> for Facts {
    fn from_iter<T: IntoIterator<Item = Fact>>(facts: T) -> Facts {
        let mut all = Facts::none();
        facts.into_iter().for_each(|fact| all.push(fact));
        all
    }
}

impl<'a> IntoIterator for &'a Facts {
    type Item = &'a Fact;
    type IntoIter = std::slice::Iter<'a, Fact>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A fact that what was inferred does not agree with, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreconciled {
    /// The fact.
    pub fact: Fact,
    /// What stands against it, in words.
    pub reason: String,
}

impl fmt::Display for Unreconciled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" could not be reconciled: {}", self.fact, self.reason)
    }
}
