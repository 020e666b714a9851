//! What directors have to know of broadcasts: games that are refused, an address that does not answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use crate::time::now_ms;

/// Most notices that are kept; each broadcast has few.
const NOTICES_MAX: usize = 256;

/// Something to know of a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BroadcastNotice {
    /// Which, why, and what to do.
    pub(crate) words: String,
    /// Since when, Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// The notices of all broadcasts, one for each place that something is sent to.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadcastNotices(Arc<RwLock<BTreeMap<String, BroadcastNotice>>>);

impl BroadcastNotices {
    /// Something is wrong at a place. Since when stays as long as it is.
    pub(crate) fn put(&self, place: &str, words: String) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(notice) = known.get_mut(place) {
            notice.words = words;
        } else if known.len() < NOTICES_MAX {
            known.insert(place.to_owned(), BroadcastNotice { words, since_ms: now_ms() });
        }
    }

    /// A place takes what is sent to it.
    pub(crate) fn settle(&self, place: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(place);
    }

    /// All there are.
    pub(crate) fn all(&self) -> Vec<BroadcastNotice> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}
