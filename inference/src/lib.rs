//! From sensor readings to plies and anomalies, with honest probabilities.
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness; time comes in with
//! the readings. It never fails on bad input: it returns what it believes and what it noticed.
#![warn(missing_docs)]

pub mod record;
