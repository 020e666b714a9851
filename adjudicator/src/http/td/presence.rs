//! Who looks at which match now: two directors at one claim see each other.
//!
//! Nobody acts by looking, so none of it is logged: it is as true as the streams that are open.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::hall::event::staff::DeviceId;

/// Everybody whose page is open at a match.
#[derive(Debug, Default)]
pub(in crate::http) struct Presence {
    here: Mutex<Vec<Looking>>,
    changed: watch::Sender<u64>,
}

/// Somebody's page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Looking {
    /// Names the page.
    page: u64,
    match_id: String,
    device: DeviceId,
    person: String,
}

/// A page that is open; it is gone when this is dropped.
#[derive(Debug)]
pub(super) struct OpenPage {
    presence: Arc<Presence>,
    looking: Looking,
}

impl Presence {
    /// A page opens at a match.
    pub(super) fn enter(
        self: &Arc<Self>,
        match_id: &str,
        device: DeviceId,
        person: &str,
    ) -> OpenPage {
        let mut here = self.here();
        let page = here.iter().map(|looking| looking.page + 1).max().unwrap_or(0);
        let (match_id, person) = (match_id.to_owned(), person.to_owned());
        let looking = Looking { page, match_id, device, person };
        here.push(looking.clone());
        drop(here);
        self.changed.send_modify(|changes| *changes += 1);
        OpenPage { presence: self.clone(), looking }
    }

    fn here(&self) -> MutexGuard<'_, Vec<Looking>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenPage {
    /// Who else looks at this match, on other devices, by name.
    pub(super) fn others(&self) -> Vec<String> {
        let Looking { match_id, device, .. } = &self.looking;
        let here = self.presence.here();
        let others = here.iter().filter(|it| it.match_id == *match_id && it.device != *device);
        let mut names: Vec<String> = others.map(|looking| looking.person.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Tells that somebody came or went, anywhere.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.presence.changed.subscribe()
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        self.presence.here().retain(|looking| *looking != self.looking);
        self.presence.changed.send_modify(|changes| *changes += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_look_at_one_match_on_other_devices_are_named_until_they_leave() {
        let presence = Arc::new(Presence::default());
        let ann = presence.enter("m1", DeviceId(1), "Ann");
        let flo = presence.enter("m1", DeviceId(2), "Flo");
        let _again = presence.enter("m1", DeviceId(2), "Flo");
        let _own_tab = presence.enter("m1", DeviceId(1), "Ann");
        let _elsewhere = presence.enter("m2", DeviceId(3), "Sue");
        assert_eq!(ann.others(), ["Flo"]);
        assert_eq!(flo.others(), ["Ann"]);
        drop(flo);
        assert_eq!(ann.others(), ["Flo"], "the other tab is open");
        drop(_again);
        assert!(ann.others().is_empty());
    }
}
