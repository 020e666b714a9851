//! A hall in virtual time, from the sensors of its tables to the adjudicator's store. The nodes' end of the link is the firmware's, ports
//! and tables are the hub's ([`hub_core`]), the ends of the way up are [`delivery`]. Lines, journals, broker and store are models that suffer
//! every fault of the plan.
//!
//! * A [`Plan`] is what happens in one run, drawn from a seed: hubs, the adjudicator and the broker are killed, a hub comes back as another release or with another configuration, journals and
//!   stores are set back, disks are full and slow, connections break, a broker forgets what it retained, a hub's card is cloned.
//! * [`run`] executes it in one thread and checks every step. A node frees no reading that no journal has. Every reading is
//!   journalled once and in order, or reported as missing. Rows are those of a session for the journalled readings. A journal frees no row that
//!   no store has. A store has every
//!   row once and in order. Memory is bounded. [`SETTLE_MAX_US`] after the last fault every row that was ever journalled, and
//!   is not reported as lost, is in the store, and every journal knows it.
//! * A campaign is many seeds: `cargo xtask hall --runs 1000000`. In a class of its own ([`Plan::link`], `cargo xtask link`) one table's serial links
//!   are under fire: bytes and whole writes are lost, doubled, garbled and late, buffers are small, timers wrap, sensors are of every kind.
//!
//! Some of the programs and nodes are of another release. Directors send an order now and then; its final state on their page is
//! what the clock did.
//!
//! On some tables stands a board of another maker. In some runs one table is spared while everything else has faults: people see of it in the end
//! the same as in a hall without faults.
//!
//! The runs leave out inference, in whose place there is a light follower, and pages.
#![warn(missing_docs)]

mod adjudicator;
mod broker;
mod campaign;
mod client;
mod director;
mod floor;
mod hub;
mod journal;
mod outcome;
mod plan;
mod sabotage;
mod store;
mod truth;
mod world;

pub use campaign::Totals;
pub use floor::{Act, FloorIncident, FloorPlan, ForeignPlan, LineClass, Maker, NodePlan};
pub use journal::{Command, Journal};
pub use outcome::{Counts, Failure, Log, Nobody, Observer, Outcome, Violation};
pub use plan::{Incident, Ordered, Plan, TableAt};
pub use sabotage::Sabotage;
pub use store::{Store, Stored};
pub use world::{SETTLE_MAX_US, run, run_sabotaged};
