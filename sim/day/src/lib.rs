//! Days of a hall in virtual time: rounds are paired, children come, play, put pieces back and go, and directors act. The sessions are the
//! hub's ([`hub_core::session`]), the hall is the adjudicator's fold of its log ([`adjudicator::hall`]) with its acts; both run in one thread.
//!
//! * A [`Plan`] is one day, drawn from a seed: what each table's sensors read, what directors do, and the truth: which games were played at
//!   which table for which pairing, their plies and results. All rates are in one table, [`Habit`].
//! * [`run`] executes it and compares. Every confirmed result is at its own pairing, no ply of a game is in the record of another, every game is
//!   in its own match. Every time without following is published within [`NOTICE_MAX_US`]; there is no notice where play is followed, and a short
//!   directors' list.
//! * A campaign is many days: `cargo xtask day --days 1000`.
//!
//! Plies are read by one of two followers. In most days a light one replaces inference: its readings show one ply or
//! none, and the plan's games have no ply that needs more ([`Reading::Light`]). In days with [`Reading::Tracker`] the shipped inference reads.
//!
//! No check asks for more than readings can show. One lever that is pressed alone may have been put right, and is play once the opponent
//! answers it. Play whose clock was forgotten is followed from the press of that clock on. At boards without clocks a piece that goes home is
//! a ply where it rests before and after, which these children's last plies do, and is put back where it does not. A match there ends when
//! all its boards are put back or cleared, and goes on without a board that is put back alone. Clocks in each other's place are no play that is
//! followed: its plies are read, and directors are told that a clock needs looking at.
//!
//! | `cargo xtask day`, 40 tables and 5 rounds a day | results right | games as played | unfollowed, published in time | false notices |
//! |---|---|---|---|---|
//! | `--seed 571000 --days 1000` | 200,000 of 200,000 | 212,251 of 212,251 | 7,926 of 7,926 | 5 |
//! | `--seed 572000 --days 35 --read` | 7,000 of 7,000 | 7,455 of 7,460 | 264 of 264 | 0 |
//! | `--seed 573000 --days 20 --held-out` | 4,000 of 4,000 | 4,241 of 4,241 | 176 of 176 | 0 |
//!
//! The false notices come while children analyse with a running clock, after a game that nobody could follow. The five games of the read days
//! have plies that inference reads otherwise.
//!
//! The days leave out ports, journals and the uplink to the adjudicator, with all their faults (the hall's runs have those), hands that
//! need a tracker (the accuracy suite has those), drops, and pages. Directors are always right; what they do not know is whose match it is,
//! and they look when the list asks.
#![warn(missing_docs)]

mod check;
mod desk;
mod game;
mod habit;
mod hands;
mod plan;
mod reader;
mod sabotage;
mod story;
mod world;

pub use check::{Fault, Report};
pub use habit::Habit;
pub use plan::{Equipment, Plan, Size};
pub use reader::Reading;
pub use sabotage::Sabotage;
pub use world::{NOTICE_MAX_US, run, run_logged, run_sabotaged};
