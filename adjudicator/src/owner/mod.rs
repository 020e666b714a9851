//! The one writer of the hall: what was committed is decoded and applied, acts are logged, deadlines fall.

pub(crate) mod commit;
pub(crate) mod deadlines;
pub mod decode;
pub mod follower;
pub(crate) mod watchdog;
