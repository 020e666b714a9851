//! The matches of the hall, with indices by pairing and hub.

use std::sync::Arc;

use event::PairingId;
use imbl::{HashMap, Vector};

use crate::hall::{Game, shared::Shared};

/// All matches. A clone shares every match that has not changed since.
#[derive(Clone, Debug, Default)]
pub(in crate::hall) struct Matches {
    by_id: HashMap<Arc<str>, Shared<Game>>,
    /// Ids in the order of opening.
    opened: Vector<Arc<str>>,
    /// Ids in the order of opening, by the pairing that the matches are of.
    of_pairing: HashMap<PairingId, Vector<Arc<str>>>,
    /// Number of matches that each hub has opened.
    of_hub: HashMap<Arc<str>, usize>,
}

impl Matches {
    pub(in crate::hall) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(in crate::hall) fn get(&self, id: &str) -> Option<&Game> {
        self.by_id.get(id).map(|game| &**game)
    }

    pub(in crate::hall) fn shared(&self, id: &str) -> Option<Shared<Game>> {
        self.by_id.get(id).cloned()
    }

    pub(in crate::hall) fn get_mut(&mut self, id: &str) -> Option<&mut Game> {
        self.by_id.get_mut(id).map(|game| &mut **game)
    }

    /// All matches in the order of opening.
    pub(in crate::hall) fn values(&self) -> impl Iterator<Item = &Game> {
        self.opened.iter().filter_map(|id| self.get(id))
    }

    /// Matches of a pairing in the order of opening.
    pub(in crate::hall) fn of_pairing(
        &self,
        pairing: PairingId,
    ) -> impl DoubleEndedIterator<Item = &Game> {
        self.of_pairing.get(&pairing).into_iter().flatten().filter_map(|id| self.get(id))
    }

    /// Number of matches that a hub has opened.
    pub(in crate::hall) fn count_of_hub(&self, hub: &str) -> usize {
        self.of_hub.get(hub).copied().unwrap_or_default()
    }

    /// Adds a match. One of the same id must not be there yet.
    pub(in crate::hall) fn insert(&mut self, game: Game) {
        let (id, hub): (Arc<str>, Arc<str>) = (game.id.as_str().into(), game.hub.as_str().into());
        if let Some(pairing) = game.pairing {
            self.of_pairing.entry(pairing).or_default().push_back(id.clone());
        }
        *self.of_hub.entry(hub).or_default() += 1;
        self.opened.push_back(id.clone());
        self.by_id.insert(id, game.into());
    }

    /// Sets the pairing of a match. Returns whether there is such a match.
    pub(in crate::hall) fn bind(&mut self, id: &str, pairing: Option<PairingId>) -> bool {
        let Some(game) = self.get_mut(id) else { return false };
        let before = std::mem::replace(&mut game.pairing, pairing);
        if let Some(ids) = before.and_then(|before| self.of_pairing.get_mut(&before)) {
            ids.retain(|of| **of != *id);
        }
        if let Some(pairing) = pairing {
            let mut ids = self.of_pairing.get(&pairing).cloned().unwrap_or_default();
            ids.push_back(id.into());
            let opened = |id: &Arc<str>| self.get(id).map(|game| game.opened_input);
            ids.sort_by(|one, other| opened(one).cmp(&opened(other)));
            self.of_pairing.insert(pairing, ids);
        }
        true
    }
}
