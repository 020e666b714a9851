//! Items about the hall: its disk, clock, certificates, broadcasts and damage, and notices of its hubs.

use super::{Maker, Need, Urgency};
use crate::{
    log::Damage,
    machine::{broadcast_notices::BroadcastNotice, clock_steps::ClockStep, disk::Trouble},
    pki::notices::CertificateNotice,
};

impl Maker<'_> {
    /// The disk of the log has little room, or none: then nothing is recorded anywhere.
    pub(super) fn disk(&self, trouble: Trouble) -> Need {
        let (id, urgency, what) = match trouble.is_full() {
            true => ("disk:full", Urgency::Sensors, "Nothing is recorded"),
            false => ("disk:low", Urgency::Notice, "The disk is nearly full"),
        };
        // A dismissed item comes back at the next occurrence.
        let mut need = self.of_hall(format!("{id}:{}", trouble.since_ms), urgency, what);
        need.detail = trouble.words();
        need.since_ms = trouble.since_ms;
        need
    }

    /// The machine's clock was set.
    pub(super) fn clock_step(&self, step: ClockStep) -> Need {
        let (id, what) = (format!("clock-step:{}", step.at_ms), "The machine's clock was set");
        let need = self.of_hall(id, Urgency::Notice, what);
        Need { detail: step.words(), since_ms: step.at_ms, ..need }
    }

    /// Browsers and hubs are shown an old certificate.
    pub(super) fn certificate(&self, notice: CertificateNotice) -> Need {
        let CertificateNotice { what, words, since_ms } = notice;
        let id = format!("certificate:{since_ms}:{words}");
        let need = self.of_hall(id, Urgency::Notice, what);
        Need { detail: words, since_ms, ..need }
    }

    /// A place outside does not take what is sent to it.
    pub(super) fn broadcast(&self, notice: BroadcastNotice) -> Need {
        let BroadcastNotice { words, since_ms } = notice;
        let id = format!("broadcast:{since_ms}:{words}");
        let need = self.of_hall(id, Urgency::Notice, "A broadcast stands still");
        Need { detail: words, since_ms, ..need }
    }

    /// This machine's disk has damaged the log.
    pub(super) fn damage<'a>(&'a self, damage: &'a Damage) -> impl Iterator<Item = Need> + 'a {
        let since_ms = damage.since_ms();
        damage.notices().into_iter().map(move |(name, words)| {
            let id = format!("damage:{since_ms}:{name}");
            let need = self.of_hall(id, Urgency::Notice, "This machine's disk is damaged");
            Need { detail: words, since_ms, ..need }
        })
    }

    pub(super) fn notices(&self) -> impl Iterator<Item = Need> {
        self.hall.notices(self.clock_rate).into_iter().map(|notice| {
            let id = format!("notice:{}", notice.id);
            Need { detail: notice.words, ..self.of_hall(id, Urgency::Notice, "About the hall") }
        })
    }

    /// An item about no single table.
    fn of_hall(&self, id: String, urgency: Urgency, what: &str) -> Need {
        let need = self.need(id, urgency, None, "");
        Need { label: "Hall".to_owned(), what: what.to_owned(), ..need }
    }
}
