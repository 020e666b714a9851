//! Items about the adjudicator's machine: room on its disk, a clock that was set, certificates that wait
//! or end, broadcasts that are refused, damage of the log.

use std::sync::Arc;

use crate::{
    log::{Damage, Store},
    machine::{
        broadcast_notices::{BroadcastNotice, BroadcastNotices},
        clock_steps::{ClockStep, ClockSteps},
        disk::{Disk, Room},
    },
    pki::notices::{CertificateNotice, CertificateNotices},
    views::needs::Since,
};

/// The machine's watchers.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The log's disk.
    pub(crate) disk: Disk,
    /// Its clock.
    pub(crate) clock: ClockSteps,
    /// Notices about certificates.
    pub(crate) certificates: CertificateNotices,
    /// Notices about broadcasts.
    pub(crate) broadcasts: BroadcastNotices,
    /// Time since which directors have been awaited.
    pub(crate) since: Since,
    /// The log on its disk.
    pub(crate) log: Arc<Store>,
}

/// State of the machine at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// State of the log's disk.
    pub(crate) room: Room,
    /// Last step of its clock.
    pub(crate) clock: Option<ClockStep>,
    /// Notices about certificates.
    pub(crate) certificates: Vec<CertificateNotice>,
    /// Notices about broadcasts.
    pub(crate) broadcasts: Vec<BroadcastNotice>,
    /// Time since which directors have been awaited.
    pub(crate) since: Since,
    /// Damage by its disk.
    pub(crate) damage: Damage,
}

impl Machine {
    /// The present state.
    pub(crate) fn state(&self) -> State {
        State {
            room: self.disk.room(),
            clock: self.clock.lately(),
            certificates: self.certificates.all(),
            broadcasts: self.broadcasts.all(),
            since: self.since.clone(),
            damage: self.log.damage(),
        }
    }
}
