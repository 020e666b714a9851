//! Judgments: plies, anomalies, clocks and people's acts in; findings, claims and results out, under one rulebook.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Referee`] | one match: [inputs](Input) in, [outputs](Output) out |
//! | [`Conditions`] | the rulebook, the time control and what was agreed |
//! | [`Alert`] | a finding with rule, evidence and confidence, for directors |
//! | [`ClaimCase`] | an opened claim with its [`Verdict`] |
//! | [`LedgerEntry`] | an act of a person that was accepted |
//!
//! ```
//! use referee::{Conditions, Input, Phase, Referee};
//! use rules::rulebook::{BookId, ClaimKind};
//!
//! let mut referee = Referee::new(Conditions::new(BookId::UsChessBughouse2018));
//! referee.handle(0, Input::Phase(Phase::Playing));
//! assert!(referee.claim_kinds().any(|kind| kind == ClaimKind::IllegalPly));
//! assert!(referee.proposal().is_none(), "nothing has happened that ends a match");
//! ```
//!
//! A referee never rules. It replays the plies as they happened, illegal ones too. From boards and clocks it derives alerts, the
//! book's verdict on each open claim, and at most one proposed result. People decide; their [acts](act) are inputs like plies.
//! Every value that judging reads comes from the book's [`Terms`](rules::rulebook::Terms), every citation from its clauses.
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness. The same inputs give the same outputs.

#![warn(missing_docs)]

pub mod act;
mod alert;
mod anomalies;
mod case;
mod claim;
mod claims;
mod clocks;
mod conditions;
mod decisions;
mod draws;
mod evaluate;
mod findings;
mod ids;
mod input;
mod names;
mod offences;
mod outcome;
mod output;
mod photo_finish;
mod proposal;
mod public;
mod referee;
mod timeline;
mod window;
mod zero_test;

pub use alert::{Alert, ClaimState};
pub use anomalies::MAX_ANOMALIES;
pub use claim::{CaseState, ClaimCase, Points, Timing, Verdict};
pub use clocks::FlagFall;
pub use conditions::{Conditions, ConditionsError};
pub use decisions::{
    MAX_ACTS, MAX_CLAIMS,
    ledger::{Entry, LedgerEntry},
    refusal::Refusal,
};
pub use ids::{AnomalyId, PlyId};
pub use input::{Alternative, AnomalyReport, ClockReading, Input, Phase, PlyReport};
pub use names::{clock as clock_words, seat_letter};
pub use outcome::{Proposal, ResultReason, StandingResult};
pub use output::Output;
pub use photo_finish::{ClockErrors, Decisive, Moment, Order, PhotoFinish};
pub use proposal::{NOT_CONFIRMED, RESULT_SETTLES_AFTER_US};
pub use public::LEAST_SHOWN_MS;
pub use referee::Referee;
pub use timeline::{BoardSnapshot, KingTaken, MAX_PLIES, TimedPly, Timeline};
pub use zero_test::{Offset, ZeroFinding};

#[cfg(test)]
mod tests;
