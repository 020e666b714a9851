//! Notices to directors about broadcasts: games that are refused, an address that does not answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use crate::time::now_ms;

/// Maximum number of notices; each broadcast has few.
const NOTICES_MAX: usize = 256;

/// A notice about a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BroadcastNotice {
    /// The broadcast, the problem, and the remedy.
    pub(crate) words: String,
    /// Time of its first occurrence, Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// The notices of all broadcasts, one for each destination.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadcastNotices(Arc<RwLock<BTreeMap<String, BroadcastNotice>>>);

impl BroadcastNotices {
    /// Records a problem at a destination. A problem that goes on keeps the time of its first occurrence.
    pub(crate) fn put(&self, place: &str, words: String) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(notice) = known.get_mut(place) {
            notice.words = words;
        } else if known.len() < NOTICES_MAX {
            known.insert(place.to_owned(), BroadcastNotice { words, since_ms: now_ms() });
        }
    }

    /// Removes the notice of a destination that accepts what is sent.
    pub(crate) fn settle(&self, place: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(place);
    }

    /// All notices.
    pub(crate) fn all(&self) -> Vec<BroadcastNotice> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}
