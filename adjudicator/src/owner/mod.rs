//! The one writer of the hall: what was committed is decoded and applied, acts are logged, deadlines fall, and what was is
//! shown later to those who see the hall later.

pub(crate) mod commit;
pub(crate) mod deadlines;
pub mod decode;
mod delay_gate;
mod delayed;
pub mod follower;
pub mod snapshots;
pub(crate) mod watchdog;
