//! The machine on which the adjudicator runs: its disk, its clock, its files and connections, its tasks, and what does not leave it.

pub(crate) mod accept;
pub(crate) mod announce;
pub(crate) mod broadcast_notices;
pub(crate) mod clock_steps;
pub(crate) mod connection_limit;
pub(crate) mod disk;
pub(crate) mod open_files;
pub(crate) mod systemd;
pub(crate) mod tasks;
