//! The event's adjudicator: takes in what hubs report, judges it and shows it.
//!
//! Data goes one way: broker → [`ingest`] → log ([`store`]) → [`stage`] (every table with its
//! [`referee`](::referee)) → what people see ([`view`], [`api`], [`records`]). A row is committed before it is
//! acknowledged and before anything is shown of it; what is shown is a function of the log.

pub mod acts;
pub mod api;
pub mod audience;
pub mod authority;
mod births;
pub mod broker;
mod certificate_notices;
mod clock_steps;
pub mod config;
mod deadlines;
mod disk;
pub mod event_log;
pub mod export;
mod guests;
pub mod hall;
mod held_back;
mod hub_times;
pub mod ingest;
mod judge;
mod listeners;
mod machine;
mod metrics;
pub mod mqtt;
mod natural_order;
pub mod needs;
mod open_files;
mod orders;
mod reception;
pub mod records;
mod run;
mod run_clock;
pub mod secrets;
pub mod staff;
pub mod stage;
pub mod store;
mod systemd;
mod tasks;
pub mod tls;
pub mod view;
mod watchdog;
pub mod webhooks;
pub mod wire;

pub use config::Config;
pub use export::{export, export_archive};
pub use judge::{JudgeError, Judgment, judge};
pub use run::{Running, StartError, start};
pub use tasks::TaskEnded;
