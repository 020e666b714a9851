//! Troubles of this hub, by the watcher that found them: published with the hub's birth, and again after a change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// The troubles of a hub. Clones tell the same.
#[derive(Clone)]
pub(crate) struct Troubles {
    by_source: Arc<Mutex<BTreeMap<&'static str, String>>>,
    told: watch::Sender<Vec<String>>,
}

impl Troubles {
    /// No troubles yet, with the channel that publishes them.
    pub(crate) fn none() -> (Troubles, watch::Receiver<Vec<String>>) {
        let (told, receiver) = watch::channel(Vec::new());
        (Troubles { by_source: Arc::default(), told }, receiver)
    }

    /// Replaces the trouble of one source; none where all is well.
    pub(crate) fn tell(&self, source: &'static str, words: Option<String>) {
        let mut all = self.by_source.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.get(source).cloned();
        if before == words {
            return;
        }
        match words {
            Some(words) => drop(all.insert(source, words)),
            None => drop(all.remove(source)),
        }
        self.told.send_replace(all.values().cloned().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_tells_its_own_and_takes_it_back() {
        let (troubles, told) = Troubles::none();
        troubles.tell("disk", Some("no room".to_owned()));
        troubles.clone().tell("heat", Some("hot".to_owned()));
        assert_eq!(*told.borrow(), ["no room", "hot"]);
        troubles.tell("disk", None);
        assert_eq!(*told.borrow(), ["hot"]);
    }
}
