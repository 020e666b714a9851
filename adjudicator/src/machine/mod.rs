//! The machine on which the adjudicator runs: its disk, its clock, its files and connections, its tasks.

pub(crate) mod accept;
pub(crate) mod clock_steps;
pub(crate) mod connection_limit;
pub(crate) mod disk;
pub(crate) mod open_files;
pub(crate) mod systemd;
pub(crate) mod tasks;
