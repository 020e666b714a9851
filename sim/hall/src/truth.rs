//! The rows that were really journalled, and the claims allowed about them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hub_core::HubTime;
use hub_core::journal::{Entry, OutgoingEvent};
use proto::mqtt::message::PlyRetracted;
use proto::mqtt::message::row::Event;

/// An entry with a row that carries its number in the run, as from a table that says something.
pub(crate) fn numbered_entry(number: u32) -> Entry {
    let event = PlyRetracted { match_id: "m".to_owned(), ply_id: number, t_us: 0 };
    let at = HubTime::from_micros(u64::from(number) + 1);
    Entry {
        table: "1".to_owned(),
        rows: vec![OutgoingEvent { at, event: Event::PlyRetracted(event) }],
        ..Entry::default()
    }
}

/// Tells an encoded row from every other.
pub(crate) fn digest(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

/// One boot of a hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boot {
    /// The card that it was on: the hub's, or its clone's.
    pub(crate) slot: usize,
    /// The digest of every row that was ever committed, from sequence 1 on.
    pub(crate) digests: Vec<u64>,
    /// Times at which these were committed, µs.
    pub(crate) journalled_us: Vec<u64>,
    /// Up to here the journal has, or had and freed, the rows: what a journal that was set back lost is behind it.
    pub(crate) available: u64,
    /// Highest sequence that a store has ever had of it.
    pub(crate) stored: u64,
}

/// All boots, by hub and boot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    pub(crate) boots: BTreeMap<(String, u64), Boot>,
}

impl Truth {
    pub(crate) fn boot(&mut self, hub: &str, boot_id: u64) -> &mut Boot {
        self.boots.entry((hub.to_owned(), boot_id)).or_default()
    }
}
