//! A hub: a table that says something now and then, a journal's writer, and the real sender.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use delivery::{ACKNOWLEDGEMENT_TIMEOUT, Sender, SenderSettings};

use crate::client::Client;
use crate::journal::{Command, Journal};

/// Commands that may wait for the writer, as in the hub.
pub(crate) const COMMANDS_MAX: usize = 256;

/// The running process.
pub(crate) struct HubProcess {
    pub(crate) incarnation: u64,
    pub(crate) boot_id: u64,
    pub(crate) next_sequence: u64,
    pub(crate) sender: Sender,
    pub(crate) client: Client,
    /// Rows that the writer has not committed.
    pub(crate) commands: VecDeque<Command>,
    /// Rows among them: the first so many that the table has offered.
    pub(crate) rows_waiting: usize,
    pub(crate) is_committing: bool,
    /// Number of rows that the journal has committed.
    pub(crate) notes: u64,
}

/// A hub with its card and its table.
pub(crate) struct Hub {
    /// Its id; a clone has that of another.
    pub(crate) id: String,
    pub(crate) journal: Journal,
    pub(crate) was_set_back: bool,
    /// Rows that the table's nodes keep until they are journalled, by number.
    pub(crate) offered: VecDeque<u32>,
    pub(crate) process: Option<HubProcess>,
}

/// The name of a hub.
pub(crate) fn id(hub: usize) -> String {
    format!("hub-{hub}")
}

/// Description that a hub's sender gets of itself.
pub(crate) fn sender(id: &str, boot_id: u64, now: Instant) -> Sender {
    let settings = SenderSettings {
        hub_id: id.to_owned(),
        boot_id,
        shard: "hall".to_owned(),
        tables: vec!["1".to_owned()],
        version: "sim".to_owned(),
        acknowledgement_timeout: ACKNOWLEDGEMENT_TIMEOUT,
    };
    Sender::new(settings, now).expect("names of the simulation can stand in topics")
}

/// A time of the run as the cores see it.
pub(crate) fn instant(start: Instant, now_us: u64) -> Instant {
    start + Duration::from_micros(now_us)
}
