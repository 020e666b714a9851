//! The decisions of a hub, without input or output: from the bytes of its serial lines to entries for its journal.
//!
//! Time comes in as a value; bytes, journal and requests come in and go out as values. So the shipped hub, the doctor and the
//! simulation of a hall run the same decisions, and each is a shell of its own around them.
//!
//! ```text
//! bytes → drivers → port → reorder → session → table → entries for the journal
//! ```
//!
//! * A [`port::Port`] is one serial line: open or not, its driver, the nodes that are attached there. The [`port::Registry`] knows which
//!   node has which place.
//! * A [`table::Table`] puts its nodes' readings into one order of time, gives them to its session, and acknowledges what the journal
//!   has committed, never more.
//! * [`journal`] is what a journal keeps and must answer: SQLite in the hub, a model in the simulation.
#![warn(missing_docs)]

pub mod drivers;
pub mod health;
pub mod hub;
pub mod input;
pub mod journal;
pub mod journal_line;
pub mod livechess;
pub mod node_time;
pub mod notice;
pub mod orders;
pub mod panicked;
pub mod port;
pub mod reorder;
pub mod request;
pub mod review;
pub mod revisions;
pub mod session;
pub mod settings;
pub mod table;
pub mod time;
pub mod update;

pub use proto::link::HubTime;
