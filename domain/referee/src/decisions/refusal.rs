//! Reasons to refuse an act.

use rules::rulebook::{Cite, Offence};

use crate::{
    act::Role,
    ids::{ActId, PlyId},
};

/// Reason to refuse an act. It has no effect, and the ledger does not know it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The act is known already.
    #[error("act {0} has been taken already")]
    Known(ActId),
    /// There are as many acts as one match can have.
    #[error("this match has {0} acts already: no more are kept")]
    TooMany(usize),
    /// A text is too long.
    #[error("the text is longer than {0} bytes: shorten it")]
    TooLong(usize),
    /// The person may not do that.
    #[error("a {} may not do that", .0.words())]
    Role(Role),
    /// There is no such claim, ruling, appeal or act.
    #[error("there is no act {0} that this could be about")]
    NoSuchAct(ActId),
    /// There is no such ply.
    #[error("there is no ply {0}")]
    NoSuchPly(PlyId),
    /// The claim has been ruled on already.
    #[error("claim {0} has been ruled on already: that ruling can be appealed")]
    AlreadyRuled(ActId),
    /// Its subject has changed since the person saw it.
    #[error("this has changed since it was shown: view it again and decide")]
    Outdated {
        /// Version of the change.
        changed: u64,
    },
    /// The book knows no appeals.
    #[error("{} knows no appeal to them", .0.map_or_else(|| "the book".to_owned(), |cite| cite.to_string()))]
    NoAppeal(Option<Cite>),
    /// This instance does not hear such an appeal.
    #[error("this goes to the {}", .0.words())]
    WrongInstance(Role),
    /// The ply has a correction that was not withdrawn.
    #[error("this ply was corrected: withdraw the correction first")]
    SaidBefore(ActId),
    /// The decision is final.
    #[error("that decision is final")]
    Final,
    /// A higher instance has decided it, or is asked to.
    #[error("this is with the {}: ask them", .0.words())]
    Above(Role),
    /// The book says nothing about such an offence, so that a penalty has to be named.
    #[error("the book has no ladder for {}: name the penalty", .0.code())]
    NoLadder(Offence),
    /// There is no result to confirm.
    #[error("no result has been entered")]
    NoResult,
    /// The book knows no agreement that directors call.
    #[error("{} knows no agreement that directors call", .0.map_or_else(|| "the book".to_owned(), |cite| cite.to_string()))]
    NoAgreement(Option<Cite>),
    /// The book makes directors call.
    #[error("{} makes directors call: that cannot be switched off", .0.map_or_else(|| "the book".to_owned(), |cite| cite.to_string()))]
    AlwaysCalled(Option<Cite>),
    /// The act cannot be taken back.
    #[error("act {0} cannot be taken back")]
    CannotWithdraw(ActId),
}
