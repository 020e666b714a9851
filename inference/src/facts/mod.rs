//! Facts: things that people know about a match and the sensors do not. Examples are the type of a dropped piece,
//! the boards at the end, and mate.
//!
//! A fact is strong evidence but no certainty, because people err. It weighs paths by a named likelihood
//! (`weigh.rs`). So facts may contradict each other, or no path may support them, and nothing breaks: the tracker
//! names the facts that do not agree with the match ([`Unreconciled`]).
//!
//! Board, side and approximate time of completion identify a ply. People use its number in the inferred file. But
//! a new run may find a ply that was missed, and the numbers shift. So [`Facts::anchored`] ties every number to
//! board, side and time, by the file that the person looked at.

mod anchor;
mod ending;
mod file;
mod line;
mod per_move;
mod placement;
mod ply;
mod stands;
mod weigh;

use std::fmt;

pub use ending::{EndingFact, MatchResult};
pub use file::{FactError, FactsFile, MAX_FACTS, write_facts};
pub use per_move::PerMoveFact;
pub use placement::{FinalBoard, FinalBoardError, FinalFact};
pub(crate) use ply::nearest;
pub use ply::{Place, PlyFact, Said};
pub use stands::StandsFact;
pub(crate) use weigh::{About, Weighing, likelihood};

/// One fact that somebody knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// One ply: the ply that it was, or plies that it was not.
    Ply(PlyFact),
    /// The pieces on the boards and in the reserves when the match ended.
    Final(FinalFact),
    /// How the match ended.
    Ending(EndingFact),
    /// The position that was put up again in the middle of the match.
    Stands(StandsFact),
    /// What a board's clock gives for each move from a time on.
    PerMove(PerMoveFact),
}

impl Fact {
    /// Whether it is about the end of the match, and so weighs the last hypotheses.
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
            Fact::PerMove(fact) => fact.fmt(f),
        }
    }
}

/// All facts about one match, in the order in which they were asserted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    facts: Vec<Fact>,
}

impl Facts {
    /// No facts.
    #[must_use]
    pub const fn none() -> Facts {
        Facts { facts: Vec::new() }
    }

    /// Adds one. Facts beyond [`MAX_FACTS`] are ignored.
    pub fn push(&mut self, fact: Fact) {
        if self.facts.len() < MAX_FACTS {
            self.facts.push(fact);
        }
    }

    /// The facts, in the order in which they were asserted.
    pub fn iter(&self) -> std::slice::Iter<'_, Fact> {
        self.facts.iter()
    }

    /// Number of facts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The facts about plies.
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

/// A fact that does not agree with the inferred match, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreconciled {
    /// The fact.
    pub fact: Fact,
    /// The evidence against it, in words.
    pub reason: String,
}

impl fmt::Display for Unreconciled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" could not be reconciled: {}", self.fact, self.reason)
    }
}
