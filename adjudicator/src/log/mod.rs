//! The log of everything that the adjudicator received: what an input is, and where it is kept.
//!
//! Rows of hubs, births and wills, the state of the line, acts and deadlines become numbered inputs. All views are a function of
//! this log alone, computed by the same code when it is live, delayed or rebuilt after a crash. So an input that was committed is shown,
//! one that was not is sent again by its hub, and none is shown twice. An input's number is also the id of the live events it causes.
//!
//! [`Store`] holds the rules that are the same wherever the log is kept. A [`shard_log::ShardLog`] keeps it: [`sqlite`], one file and no
//! server, or [`postgres`], for an event of several machines.

pub mod copy;
mod damage;
mod error;
mod group;
pub mod input;
mod mending;
mod migrations;
mod place;
pub mod postgres;
mod quota;
mod ranges;
mod shard_log;
mod soundness;
pub mod sqlite;
mod store;
mod stored_row;
mod survey;
mod tail;

pub use damage::Damage;
pub use error::StoreError;
pub use group::Batch;
pub use place::Place;
pub use store::{Store, may_be_more};

#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod limits_tests;
#[cfg(test)]
mod model_tests;
