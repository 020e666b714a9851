//! The adjudicator: the real receiver, and one piece of work after the other at the store.

use delivery::{Outbox, Receiver, ReceiverSettings, Work};

use crate::client::Client;

/// What runs.
pub(crate) struct AdjudicatorProcess {
    pub(crate) incarnation: u64,
    /// It is of a release that names no store.
    pub(crate) is_nameless: bool,
    pub(crate) receiver: Receiver,
    pub(crate) client: Client,
    pub(crate) outbox: Outbox,
    /// Whether the hub with the floor has said that it is there.
    pub(crate) is_hub_there: bool,
    /// What the store is busy with.
    pub(crate) work: Option<Work>,
}

/// A receiver for a store of this name.
pub(crate) fn receiver(store_id: String) -> Receiver {
    let (shard, id) = ("hall".to_owned(), "main".to_owned());
    Receiver::new(ReceiverSettings { shard, id, store_id })
        .expect("names of the simulation can stand in topics")
}
