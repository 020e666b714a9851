//! The hubs of the hall by id.

use std::sync::Arc;

use imbl::OrdMap;

use super::{presence::Hub, shared::Shared};

/// All hubs. A clone shares every hub that has not changed since.
#[derive(Clone, Debug, Default)]
pub(super) struct Hubs(OrdMap<Arc<str>, Shared<Hub>>);

impl Hubs {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Hub> {
        self.0.get(id).map(|hub| &**hub)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Hub> {
        self.0.get_mut(id).map(|hub| &mut **hub)
    }

    /// The hub of an id, a new one if it was not known.
    pub(super) fn of(&mut self, id: &str) -> &mut Hub {
        self.0.entry(id.into()).or_default()
    }

    /// Hubs in the order of their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Hub)> {
        self.0.iter().map(|(id, hub)| (&**id, &**hub))
    }

    /// Changes every hub.
    pub(super) fn each(&mut self, change: impl Fn(&mut Hub)) {
        let ids: Vec<Arc<str>> = self.0.keys().cloned().collect();
        for id in ids {
            if let Some(hub) = self.0.get_mut(&id) {
                change(hub);
            }
        }
    }
}
