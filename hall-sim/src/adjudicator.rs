//! The adjudicator: the real receiver, and one piece of work after the other at the store.

use delivery::{Receiver, ReceiverSettings, Work};

use crate::client::Client;

/// What runs.
pub(crate) struct Process {
    pub(crate) incarnation: u64,
    /// It is of a release that names no store.
    pub(crate) is_nameless: bool,
    pub(crate) receiver: Receiver,
    pub(crate) client: Client,
    /// What the store is busy with.
    pub(crate) work: Option<Work>,
}

/// A receiver for a store of this name.
pub(crate) fn receiver(store_id: String) -> Receiver {
    let (shard, id) = ("hall".to_owned(), "main".to_owned());
    Receiver::new(ReceiverSettings { shard, id, store_id })
        .expect("names of the simulation can stand in topics")
}
