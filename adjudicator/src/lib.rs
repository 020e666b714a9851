//! The event's adjudicator: receives hubs' reports, judges them and shows the result.
//!
//! Data goes one way: [`broker`] → [`ingest`] → [`log`] → [`owner`], which applies it to the [`hall`] (every table with its
//! [`referee`](::referee)) → [`views`] → [`front`] → [`http`] and [`outlets`]. A row is committed before it is
//! acknowledged and before any page shows it; all that is shown is a function of the log.

pub mod broker;
pub mod bus;
pub mod cluster;
pub mod config;
mod error;
pub mod front;
pub mod hall;
pub mod halls;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod log;
mod log_place;
mod machine;
pub mod outlets;
pub mod owner;
mod page_files;
pub mod pki;
pub mod rehearsal;
mod run;
pub mod run_front;
pub mod time;
pub mod views;

pub use config::Config;
pub use error::StartError;
pub use machine::tasks::TaskEnded;
pub use outlets::export::{export, export_archive};
pub use outlets::rejudge::{JudgeError, Judgment, judge};
pub use run::{Running, start};
