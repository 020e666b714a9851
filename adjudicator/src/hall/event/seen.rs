//! Directors who have taken items of the list.

use imbl::OrdMap;
use serde::Serialize;

use crate::hall::event::staff::{DeviceId, Rank};

/// Items of the list that are remembered as taken or dismissed: those of the longest ago go first.
const SEEN_MAX: usize = 8192;

/// A director who has taken an item of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The person.
    pub person: String,
    /// The person's rank.
    pub rank: Rank,
    /// On which device.
    pub device: DeviceId,
    /// Time, Unix milliseconds.
    pub at_ms: u64,
    /// Whether there was nothing to be done about it.
    pub is_dismissed: bool,
}

/// Directors by item.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct SeenItems(OrdMap<String, Seen>);

impl SeenItems {
    pub(in crate::hall) fn set(&mut self, item: &str, seen: Seen) {
        if self.0.len() >= SEEN_MAX && !self.0.contains_key(item) {
            let oldest = self.0.iter().min_by_key(|(_, seen)| seen.at_ms);
            let oldest = oldest.map(|(item, _)| item.clone());
            oldest.map(|item| self.0.remove(&item));
        }
        self.0.insert(item.to_owned(), seen);
    }

    pub(in crate::hall) fn remove(&mut self, item: &str) {
        self.0.remove(item);
    }

    pub(in crate::hall) fn get(&self, item: &str) -> Option<&Seen> {
        self.0.get(item)
    }
}
