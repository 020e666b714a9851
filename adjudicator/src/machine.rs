//! What directors have to know of the machine on which the adjudicator runs: room on its disk, certificates that wait for a new start.

use crate::{
    disk::{Disk, Room},
    renewals::{Renewals, Waiting},
};

/// The machine as it is looked after.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The log's disk.
    pub(crate) disk: Disk,
    /// Certificates that are not shown yet.
    pub(crate) renewals: Renewals,
}

/// How the machine is at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Of the log's disk.
    pub(crate) room: Room,
    /// Certificates that were renewed and are not shown.
    pub(crate) certificates: Vec<Waiting>,
}

impl Machine {
    /// How it is.
    pub(crate) fn state(&self) -> State {
        State { room: self.disk.room(), certificates: self.renewals.waiting() }
    }
}
