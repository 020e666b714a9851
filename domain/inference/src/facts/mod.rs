//! Facts: things that people know about a match and the sensors do not. Examples are the type of a
//! dropped piece, the boards at the end, and mate.
//!
//! A fact is strong evidence but no certainty, because people err. It weighs paths by a named
//! likelihood (`weigh.rs`). So facts may contradict each other, or no path may support them, and
//! nothing breaks: the tracker names the facts that do not agree with the match ([`Unreconciled`]).
//!
//! Board, side and approximate time of completion identify a ply. People use its number in the
//! inferred file. But a new run may find a ply that was missed, and the numbers shift. So
//! [`Facts::anchored`] ties every number to board, side and time, by the file that the person
//! looked at.

mod anchor;
mod ending;
mod file;
mod line;
mod placement;
mod ply;
mod stands;
mod weigh;

use std::{fmt, ops::Deref};

pub use ending::{EndingFact, MatchResult};
pub use file::{FactError, FactsFile, MAX_FACTS};
pub use line::PerMoveFact;
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
    /// Ending of the match.
    Ending(EndingFact),
    /// The position that was reinstated in the middle of the match.
    Stands(StandsFact),
    /// Allowance of a board's clock for each move from a time on.
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
pub struct Facts(Vec<Fact>);

impl Facts {
    /// Adds one. Facts beyond [`MAX_FACTS`] are ignored.
    pub fn push(&mut self, fact: Fact) {
        if self.len() < MAX_FACTS {
            self.0.push(fact);
        }
    }

    /// The facts about plies.
    pub(crate) fn plies(&self) -> impl Iterator<Item = &PlyFact> {
        self.iter().filter_map(|fact| match fact {
            Fact::Ply(fact) => Some(fact),
            _ => None,
        })
    }
}

impl Deref for Facts {
    type Target = [Fact];

    fn deref(&self) -> &[Fact] {
        &self.0
    }
}

impl FromIterator<Fact> for Facts {
    fn from_iter<T: IntoIterator<Item = Fact>>(facts: T) -> Facts {
        Facts(facts.into_iter().take(MAX_FACTS).collect())
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
