//! The two wire formats of Twinboard and nothing else, so that every program on a wire reads the same definition.
//!
//! * [`link`]: the serial link between a node (board, trays, clock) and its hub. `no_std`, no allocation.
//! * `mqtt` (feature `mqtt`): the protobuf messages and the topics between hubs, broker and adjudicator.
//!
//! This crate knows nothing of chess: a square is a number from 0 to 63, a ply is a string. What those mean is
//! decided by the crates that depend on it.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_docs)]

pub mod link;
#[cfg(feature = "mqtt")]
pub mod mqtt;
