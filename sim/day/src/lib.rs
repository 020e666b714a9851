//! Days of a hall in virtual time: rounds are paired, children come, play, put pieces back and go, and directors act. The sessions are the
//! hub's ([`hub_core::session`]), the hall is the adjudicator's fold of its log ([`adjudicator::hall`]) with its acts; both run in one thread.
//!
//! * A [`Plan`] is one day, drawn from a seed: what each table's sensors read, what directors do, and the truth: which games were played at
//!   which table for which pairing, their plies and results. How often who does what is in one table, [`Habit`].
//! * [`run`] lets it happen and compares: every confirmed result at its own pairing, no ply of a game in the record of another, every game
//!   in a match of its own, every time that nobody follows published within [`NOTICE_MAX_US`], no notice where play is followed, and a short
//!   directors' list.
//! * A campaign is many days: `cargo xtask day --days 1000`.
//!
//! Plies are read by one of two followers. In most days a light one stands in the place of inference: what its readings show is one ply or
//! none, and the plan's games have no ply that needs more ([`Reading::Light`]). In days with [`Reading::Tracker`] the shipped inference reads.
//!
//! What readings cannot tell, nobody is asked to know: one lever that is pressed alone may have been put right, and is play once the opponent
//! answers it; play whose clock was forgotten is followed from the press of that clock on; and at boards without clocks a piece that goes home is
//! a ply where it rests before and after, which these children's last plies do, and is put back where it does not. Such a match ends when all its
//! boards are put back or cleared; in the last round many are not, and what is done there is taken for plies: all games of the read days that
//! are not as played.
//!
//! | `cargo xtask day`, 40 tables and 5 rounds a day | results right | games as played | unfollowed, published in time | false notices |
//! |---|---|---|---|---|
//! | `--seed 500000 --days 1000` | 200,000 of 200,000 | 212,580 of 212,589 | 7,441 of 7,444 | 0 |
//! | `--seed 510000 --days 1000`, after the mends of what the first found | 200,000 of 200,000 | 212,628 of 212,628 | 7,296 of 7,296 | 1 |
//! | `--seed 520000 --days 35 --read` | 7,000 of 7,000 | 7,413 of 7,422 | 247 of 247 | 0 |
//! | seeds 320000 to 320017, with `--held-out` | 3,599 of 3,600 | 3,783 of 3,789 | 171 of 171 | 1 |
//!
//! What the days leave out: ports, journals and the way to the adjudicator, with all that may befall them (the hall's runs have those), hands that
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
