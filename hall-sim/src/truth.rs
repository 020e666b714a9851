//! What was really journalled, and what may be said of it.

use std::collections::BTreeMap;

use prost::Message as _;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{PlyRetracted, Row};

/// A row that carries its number in the run.
pub(crate) fn body(sequence: u64, number: u32) -> Vec<u8> {
    let event = PlyRetracted { match_id: "m".to_owned(), ply_id: number, t_us: 0 };
    Row {
        sequence,
        hub_time_us: u64::from(number) + 1,
        table: "1".to_owned(),
        event: Some(Event::PlyRetracted(event)),
    }
    .encode_to_vec()
}

/// The number of a row.
pub(crate) fn number(row: &Row) -> Option<u32> {
    match &row.event {
        Some(Event::PlyRetracted(event)) => Some(event.ply_id),
        _ => None,
    }
}

/// One boot of a hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct Boot {
    /// The card that it was on: the hub's, or its clone's.
    pub(crate) slot: usize,
    /// The number of every row that was ever committed, from sequence 1 on.
    pub(crate) numbers: Vec<u32>,
    /// Up to here the journal has, or had and freed, the rows: what a journal that was set back lost is behind it.
    pub(crate) available: u64,
    /// How far a store has ever had it.
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
