//! The adjudicator: the real receiver, and one piece of work after the other at the store.

use std::collections::BTreeSet;

use delivery::{Outbox, Receiver, ReceiverSettings, Work};

use crate::client::Client;

/// The running process.
pub(crate) struct AdjudicatorProcess {
    pub(crate) incarnation: u64,
    /// Its release names no store.
    pub(crate) is_nameless: bool,
    pub(crate) receiver: Receiver,
    pub(crate) client: Client,
    pub(crate) outbox: Outbox,
    /// The hubs that have reported that they are online.
    pub(crate) hubs_there: BTreeSet<String>,
    /// Work that occupies the store.
    pub(crate) work: Option<Work>,
}

/// A receiver for a store of this name.
pub(crate) fn receiver(store_id: String) -> Receiver {
    let (shard, id) = ("hall".to_owned(), "main".to_owned());
    Receiver::new(ReceiverSettings { shard, id, store_id })
        .expect("names of the simulation can stand in topics")
}
