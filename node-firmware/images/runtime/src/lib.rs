//! What the images for all boards have in common: a node that stops must say why when it is back, and every node must have a
//! name of its own.
//!
//! * [`Restart`]: the reason of the last restart, kept in memory that a reset does not clear.
//! * [`identity`]: the node's name, the version of its firmware and the name of this run, as the first messages tell them.
#![no_std]

/// Bytes of the event buffer of every image: some 125 events, half a minute of furious play that a hub may miss. While it starts, a node
/// is moved to its place, and for a moment both must fit 16 KB.
pub const BUFFER_BYTES: usize = 2048;

mod identity;
mod kept;
mod restart;

pub use identity::{Role, identity};
pub use restart::{Restart, remember_fault, remember_panic, take};
