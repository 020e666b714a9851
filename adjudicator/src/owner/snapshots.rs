//! The newest snapshot of a hall for its readers, and the notice of another.
//!
//! Readers never lock the hall: whatever a reader does with a snapshot, the next input is applied meanwhile. Watchers are told only that
//! something changed and look for themselves, so that a slow one costs nothing and delays nobody.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::hall::Hall;

/// The newest snapshot of a hall, for readers.
pub struct Snapshots {
    newest: ArcSwap<Hall>,
    changed: watch::Sender<u64>,
    resets: AtomicU32,
}

impl Snapshots {
    /// Begins with a hall.
    pub(super) fn new(hall: Hall) -> Arc<Snapshots> {
        let newest = ArcSwap::from_pointee(hall);
        Arc::new(Snapshots { newest, changed: watch::Sender::new(0), resets: AtomicU32::new(0) })
    }

    /// A snapshot of the hall. It may be kept for as long as it is needed; it does not change.
    pub fn hall(&self) -> Arc<Hall> {
        self.newest.load_full()
    }

    /// Tells the number of the last input applied, whenever there is a new snapshot.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Number of changes that no position in the stream tells of: pages then have to ask for everything again.
    pub(crate) fn resets(&self) -> u32 {
        self.resets.load(Ordering::Acquire)
    }

    /// Gives readers another snapshot.
    pub(super) fn publish(&self, hall: Arc<Hall>) {
        let last = hall.last_input();
        self.newest.store(hall);
        self.changed.send_replace(last);
    }

    /// Gives readers another snapshot, of which no position in the stream tells.
    pub(super) fn reset(&self, hall: Arc<Hall>) {
        self.newest.store(hall.clone());
        // A reader that counts it finds the snapshot.
        self.resets.fetch_add(1, Ordering::Release);
        self.publish(hall);
    }
}
