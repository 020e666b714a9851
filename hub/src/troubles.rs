//! What is wrong with this hub, by what looks after it: told to directors with the hub's birth, and again when it changes.

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
    /// None yet, and where they are told.
    pub(crate) fn none() -> (Troubles, watch::Receiver<Vec<String>>) {
        let (told, receiver) = watch::channel(Vec::new());
        (Troubles { by_source: Arc::default(), told }, receiver)
    }

    /// What one source has to say, instead of what it said before; nothing where all is well.
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
