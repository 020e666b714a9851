//! What people decided, in the order in which they did. Nothing is ever taken out: what is wrong is
//! superseded by a later entry, and both stay.

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
    /// Who acted.
    pub by: Person,
    /// When, microseconds of match time.
    pub t_us: u64,
    /// What the person looked at.
    pub seen: u64,
    /// The clauses it comes under, the decisive one first; none when the book has none.
    pub rules: Vec<Cite>,
    /// What was decided.
    pub entry: Entry,
    /// The act whose effect this entry takes the place of.
    pub supersedes: Option<ActId>,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A claim was opened.
    Claim {
        /// What is claimed.
        kind: ClaimKind,
        /// By whom.
        by: Seat,
        /// Against which ply.
        against: Option<PlyId>,
    },
    /// A claim was ruled on.
    Ruling {
        /// The claim.
        claim: ActId,
        /// How.
        decision: Decision,
        /// With what consequence.
        remedy: Remedy,
        /// What the director noted.
        note: String,
    },
    /// A ruling was appealed.
    Appeal {
        /// The ruling.
        of: ActId,
        /// To whom.
        to: Role,
    },
    /// An appeal was decided.
    Decided {
        /// The appeal.
        appeal: ActId,
        /// The claim that it is about in the end.
        claim: ActId,
        /// How.
        decision: Decision,
        /// With what consequence.
        remedy: Remedy,
        /// What was noted.
        note: String,
    },
    /// A penalty was imposed.
    Penalty {
        /// For what.
        offence: Offence,
        /// Whom.
        whom: Seat,
        /// The how manieth offence of this kind by this player it is.
        count: u32,
        /// What the book's ladder gives.
        proposed: Option<Penalty>,
        /// What was given.
        given: Option<Penalty>,
        /// What the director noted.
        note: String,
    },
    /// A result was entered.
    Result(MatchResult),
    /// The result was confirmed.
    Confirmed,
    /// A ply was corrected.
    Correction {
        /// Which.
        ply: PlyId,
        /// What it was.
        said: Ply,
    },
    /// A ply was said not to have been played.
    NotPlayed {
        /// Which.
        ply: PlyId,
    },
    /// A position was put up again.
    Reinstated {
        /// The ply before which it stood.
        before: PlyId,
    },
    /// Something was chosen.
    Chosen(Choice),
    /// An act was taken back.
    Withdrawn {
        /// Which.
        of: ActId,
    },
}

/// What was decided, in a few words.
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
                write!(f, "{offence} by {}, offence {count}", seat_letter(*whom))?;
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
                write!(f, "the position before ply {before} put up again")
            }
            Entry::Chosen(Choice::TdCalls(true)) => f.write_str("directors call from now on"),
            Entry::Chosen(Choice::TdCalls(false)) => f.write_str("directors do not call any more"),
            Entry::Withdrawn { of } => write!(f, "act {of} taken back"),
        }
    }
}
