//! The hub of one or more tables: from serial nodes to rows on the broker, with nothing lost.
//!
//! A hub's decisions are in [`hub_core`], which does no input or output. This crate is the shell around it: serial ports, the journal's
//! file, the broker, pins, the clock, and the [`config`]uration that says which.
#![warn(missing_docs)]

pub mod config;
mod desk;
mod disk;
pub mod firmware;
pub mod gpio;
mod heat;
mod http_server;
pub mod join;
pub mod journal;
mod livechess;
pub mod liveness;
mod metrics;
mod notices;
pub mod ports;
mod power;
mod review;
mod run;
mod shared_hub;
mod systemd;
mod table;
pub mod time;
mod troubles;
pub mod uplink;

pub use config::Config;
pub use hub_core::table::session_config;
pub use hub_core::{drivers, journal_line, node_time, orders, reorder, session, update};
pub use journal::Journal;
pub use run::{HubError, run, run_with_pins};
pub use shared_hub::{SharedHub, TableInputs};
pub use time::{HubClock, HubTime};
