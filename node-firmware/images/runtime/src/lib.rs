//! Code that the images for all boards share: a node reports after a restart why it stopped, and every node has a name of its own.
//!
//! * [`Restart`]: the reason of the last restart, kept in memory that a reset does not clear.
//! * [`identity`]: the node's name, the version of its firmware and the name of this run, as the first messages tell them.
#![no_std]

mod identity;
mod kept;
mod restart;

pub use identity::{Role, identity};
pub use restart::{Restart, remember_fault, remember_panic, take};
