//! The hubs of the hall by id.

use std::sync::Arc;

use imbl::OrdMap;

use super::presence::Hub;
use crate::hall::shared::Shared;

/// All hubs. A clone shares every hub that has not changed since.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Hubs(OrdMap<Arc<str>, Shared<Hub>>);

impl Hubs {
    pub(in crate::hall) fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::hall) fn get(&self, id: &str) -> Option<&Hub> {
        self.0.get(id).map(|hub| &**hub)
    }

    pub(in crate::hall) fn get_mut(&mut self, id: &str) -> Option<&mut Hub> {
        self.0.get_mut(id).map(|hub| &mut **hub)
    }

    /// The hub of an id, a new one if it was not known.
    pub(in crate::hall) fn of(&mut self, id: &str) -> &mut Hub {
        self.0.entry(id.into()).or_default()
    }

    /// Hubs in the order of their ids.
    pub(in crate::hall) fn iter(&self) -> impl Iterator<Item = (&str, &Hub)> {
        self.0.iter().map(|(id, hub)| (&**id, &**hub))
    }

    /// Changes every hub.
    pub(in crate::hall) fn each(&mut self, change: impl Fn(&mut Hub)) {
        let ids: Vec<Arc<str>> = self.0.keys().cloned().collect();
        for id in ids {
            if let Some(hub) = self.0.get_mut(&id) {
                change(hub);
            }
        }
    }
}
