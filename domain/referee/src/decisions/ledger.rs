//! Ledger of decisions, in their order. No entry is removed: a wrong one is superseded by a later entry, and both stay.

use std::fmt;

use rules::{
    Ply, Seat,
    rulebook::{Cite, ClaimKind, Offence, Penalty},
};

use crate::{
    act::{Choice, Decision, Person, Remedy, Role},
    ids::{ActId, PlyId},
    names::seat_letter,
    outcome::MatchResult,
};

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// From 1, without holes.
    pub number: usize,
    /// The act that it records.
    pub act: ActId,
    /// Author.
    pub by: Person,
    /// Time, microseconds of match time.
    pub t_us: u64,
    /// Version that the person saw.
    pub seen: u64,
    /// The clauses it comes under, the decisive one first; none when the book has none.
    pub rules: Vec<Cite>,
    /// The decision.
    pub entry: Entry,
    /// The act whose effect this entry takes the place of.
    pub supersedes: Option<ActId>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A claim was opened.
    Claim {
        /// Kind of the claim.
        kind: ClaimKind,
        /// The claimant.
        by: Seat,
        /// Against which ply.
        against: Option<PlyId>,
    },
    /// A claim was ruled on.
    Ruling {
        /// The claim.
        claim: ActId,
        /// The decision.
        decision: Decision,
        /// Its consequence.
        remedy: Remedy,
        /// The director's note.
        note: String,
    },
    /// A ruling was appealed.
    Appeal {
        /// The ruling.
        of: ActId,
        /// The instance.
        to: Role,
    },
    /// An appeal was decided.
    Decided {
        /// The appeal.
        appeal: ActId,
        /// The claim that it is about in the end.
        claim: ActId,
        /// The decision.
        decision: Decision,
        /// Its consequence.
        remedy: Remedy,
        /// The note.
        note: String,
    },
    /// A penalty was imposed.
    Penalty {
        /// The offence.
        offence: Offence,
        /// The offender.
        whom: Seat,
        /// The how manieth offence of this kind by this player it is.
        count: u32,
        /// Penalty by the book's ladder.
        proposed: Option<Penalty>,
        /// Penalty that was given.
        given: Option<Penalty>,
        /// The director's note.
        note: String,
    },
    /// A result was entered.
    Result(MatchResult),
    /// The result was confirmed.
    Confirmed,
    /// A ply was corrected.
    Correction {
        /// The ply.
        ply: PlyId,
        /// The ply that was played.
        said: Ply,
    },
    /// A ply was declared not to have been played.
    NotPlayed {
        /// The ply.
        ply: PlyId,
    },
    /// A position was reinstated.
    Reinstated {
        /// The ply before which it stood.
        before: PlyId,
    },
    /// A choice was made.
    Chosen(Choice),
    /// An act was taken back.
    Withdrawn {
        /// The ply.
        of: ActId,
    },
}

/// The decision in a few words.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Claim { kind, by, against } => {
                write!(f, "claim {kind} by {}", seat_letter(*by))?;
                match against {
                    Some(ply) => write!(f, " against ply {ply}"),
                    None => Ok(()),
                }
            }
            Entry::Ruling { decision, remedy, .. } => write!(f, "ruled {decision}: {remedy}"),
            Entry::Appeal { to, .. } => write!(f, "appealed to the {to}"),
            Entry::Decided { decision, remedy, .. } => {
                write!(f, "appeal decided, {decision}: {remedy}")
            }
            Entry::Penalty { offence, whom, count, proposed, given, .. } => {
                // Asking for the score is allowed so and so often.
                let noun = match offence {
                    Offence::ScoreAsked => "request",
                    _ => "offence",
                };
                write!(f, "{offence} by {}, {noun} {count}", seat_letter(*whom))?;
                match given {
                    Some(given) => write!(f, ": {given}")?,
                    None => write!(f, ": nothing")?,
                }
                match proposed {
                    Some(proposed) if Some(*proposed) != *given => {
                        write!(f, "; the ladder gives {proposed}")
                    }
                    _ => Ok(()),
                }
            }
            Entry::Result(result) => write!(f, "result {result}"),
            Entry::Confirmed => f.write_str("result confirmed"),
            Entry::Correction { ply, said } => write!(f, "ply {ply} was {said}"),
            Entry::NotPlayed { ply } => write!(f, "ply {ply} was not played"),
            Entry::Reinstated { before } => {
                write!(f, "the position before ply {before} reinstated")
            }
            Entry::Chosen(Choice::TdCalls(true)) => f.write_str("directors call from now on"),
            Entry::Chosen(Choice::TdCalls(false)) => f.write_str("directors do not call any more"),
            Entry::Withdrawn { of } => write!(f, "act {of} taken back"),
        }
    }
}
