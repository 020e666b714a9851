//! Certificates that were renewed and are not shown yet: said once, and on the directors' list until they are.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use crate::stage::now_ms;

/// A renewed certificate that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Why, and what to do.
    pub(crate) words: String,
    /// Since when, Unix milliseconds.
    pub(crate) since_ms: u64,
}

/// Those of this adjudicator, each by its file: at most one for pages and one for hubs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renewals(Arc<RwLock<BTreeMap<PathBuf, Waiting>>>);

impl Renewals {
    /// A certificate waits. It is said when that is news.
    pub(crate) fn wait(&self, certificate: &Path, words: String) {
        let mut waiting = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if waiting.get(certificate).is_none_or(|known| known.words != words) {
            tracing::warn!("{words}");
            waiting.insert(certificate.to_owned(), Waiting { words, since_ms: now_ms() });
        }
    }

    /// What is shown is what the file has.
    pub(crate) fn settle(&self, certificate: &Path) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(certificate);
    }

    /// What waits.
    pub(crate) fn waiting(&self) -> Vec<Waiting> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_waits_since_it_was_first_seen_to_and_until_it_is_shown() {
        let (renewals, file) = (Renewals::default(), Path::new("site.pem"));
        renewals.wait(file, "restart".to_owned());
        let first = renewals.waiting();
        renewals.wait(file, "restart".to_owned());
        assert_eq!((first.len(), renewals.waiting()), (1, first));
        renewals.wait(file, "something else".to_owned());
        assert_eq!(renewals.waiting()[0].words, "something else");
        renewals.settle(file);
        assert_eq!(renewals.waiting(), []);
    }
}
