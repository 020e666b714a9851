//! The hub of one or more tables: from serial nodes to rows on the broker, with nothing lost.
//!
//! Bytes come in at [`config`]ured serial ports, become readings in hub time ([`node_time`]) and
//! then plies and anomalies; readings and rows are journalled together before a node is
//! acknowledged or a row is published.
#![warn(missing_docs)]

pub mod config;
mod disk;
pub mod drivers;
mod evidence;
pub mod gpio;
pub mod journal;
pub mod merge;
pub mod node_time;
pub mod orders;
mod panicked;
pub mod ports;
pub mod progress;
pub mod record;
mod review;
mod run;
pub mod session;
mod shown;
mod systemd;
mod table;
pub mod time;
pub mod uplink;

pub use config::Config;
pub use journal::Journal;
pub use run::{HubError, run, run_with_pins};
pub use table::session_config;
pub use time::{HubClock, HubTime};
