//! Judgments: plies, anomalies, clocks and people's acts in; findings, claims and results out, under one rulebook.
//!
//! [`Referee`] holds one match. It never rules. It replays the plies as they happened, illegal ones too, and from the state
//! of boards and clocks derives alerts with rule, evidence and confidence, what the book says about each claim that was
//! opened, and at most one proposed result. People decide; their [acts](act) are inputs like plies, and the
//! [ledger](LedgerEntry) keeps every one that was taken.
//!
//! Which book is in force is a value: every value that judging reads comes from its
//! [`Terms`](rules::rulebook::Terms), and every citation from its clauses.
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
mod proposal;
mod public;
mod referee;
mod timeline;
mod window;

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
pub use proposal::{NOT_CONFIRMED, RESULT_SETTLES_AFTER_US};
pub use public::LEAST_SHOWN_MS;
pub use referee::Referee;
pub use timeline::{KingTaken, MAX_PLIES, Standing, TimedPly, Timeline};

#[cfg(test)]
mod tests;
