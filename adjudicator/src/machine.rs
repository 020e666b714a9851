//! What directors have to know of the machine on which the adjudicator runs: room on its disk, certificates that wait or end.

use crate::{
    certificate_notices::{CertificateNotice, CertificateNotices},
    disk::{Disk, Room},
};

/// The machine as it is looked after.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The log's disk.
    pub(crate) disk: Disk,
    /// What is to be known of certificates.
    pub(crate) certificates: CertificateNotices,
}

/// How the machine is at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Of the log's disk.
    pub(crate) room: Room,
    /// What is to be known of certificates.
    pub(crate) certificates: Vec<CertificateNotice>,
}

impl Machine {
    /// How it is.
    pub(crate) fn state(&self) -> State {
        State { room: self.disk.room(), certificates: self.certificates.all() }
    }
}
