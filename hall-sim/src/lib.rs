//! A hall in virtual time: the real ends of the way up ([`delivery`]) between journals, a broker and a store to which everything
//! happens that the plan says.
//!
//! * A [`Plan`] is what happens in one run, drawn from a seed: hubs, the adjudicator and the broker are killed, journals and
//!   stores are set back, disks are full and slow, connections break, a broker forgets what it retained, a hub's card is cloned.
//! * [`run`] lets it happen in one thread and checks every step: a journal frees no row that no store has, a store has every
//!   row once and in order, memory is bounded; and [`SETTLE_MAX_US`] after the last fault every row that was ever journalled, and
//!   is not told as lost, is in the store, and every journal knows it.
//! * A campaign is many seeds: `cargo xtask hall --runs 1000000`.
//!
//! What the runs do not look at: nodes and their lines (`link-sim` does), the inference of a table, and what pages show.
#![warn(missing_docs)]

mod adjudicator;
mod broker;
mod campaign;
mod client;
mod hub;
mod journal;
mod outcome;
mod plan;
mod sabotage;
mod store;
mod truth;
mod world;

pub use campaign::Totals;
pub use outcome::{Counts, Failure, Log, Nobody, Observer, Outcome, Violation};
pub use plan::{Incident, Plan};
pub use sabotage::Sabotage;
pub use world::{SETTLE_MAX_US, run, run_sabotaged};
