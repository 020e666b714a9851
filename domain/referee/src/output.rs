//! Outputs of a referee: public ones, and those for directors only.

use crate::{Alert, ClaimCase, LedgerEntry, Proposal, Refusal, StandingResult, ids::ActId};

/// A change.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Public: plies from this position on are shown differently.
    Plies {
        /// Position of the first ply that changed.
        from: usize,
    },
    /// Public: clocks, phase or result are shown differently.
    Shown,
    /// Directors: an alert is new, revised or retracted.
    Alert(Alert),
    /// Directors: a claim's case has changed.
    Claim(ClaimCase),
    /// Directors: the proposed result is another one, or none any more. The public sees it once it has settled.
    Proposal(Option<Proposal>),
    /// Directors: the result that people have entered is another one, or none any more.
    Result(Option<StandingResult>),
    /// Directors: a line of the ledger.
    Ledger(LedgerEntry),
    /// Directors: an act was refused.
    Refused {
        /// The act.
        act: ActId,
        /// Reason.
        why: Refusal,
    },
}

impl Output {
    /// Whether everybody may see what changed. All else is for directors alone: it must make no public event.
    #[must_use]
    pub fn is_public(&self) -> bool {
        match self {
            Output::Plies { .. } | Output::Shown => true,
            Output::Alert(_)
            | Output::Claim(_)
            | Output::Proposal(_)
            | Output::Result(_)
            | Output::Ledger(_)
            | Output::Refused { .. } => false,
        }
    }
}
