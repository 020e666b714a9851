//! Plies by their ids: the latest revision of each, and its place in the order.
//!
//! Ids mostly grow. So a sorted list is found in as quickly as a map, and costs a fraction of it to copy: a hall holds copies of its matches.

use crate::ids::PlyId;

#[derive(Clone, Copy, Debug)]
struct KnownPly {
    id: PlyId,
    revision: u32,
    /// None: it was retracted.
    place: Option<u16>,
}

/// The plies of a match by their ids, retracted ones too.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownPlies(Vec<KnownPly>);

impl KnownPlies {
    fn find(&self, id: PlyId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&id, |known| known.id)
    }

    fn get(&self, id: PlyId) -> Option<&KnownPly> {
        self.0.get(self.find(id).ok()?)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Highest revision seen of a ply.
    pub(super) fn revision(&self, id: PlyId) -> Option<u32> {
        Some(self.get(id)?.revision)
    }

    /// Place of a ply in the order.
    pub(super) fn place(&self, id: PlyId) -> Option<usize> {
        self.get(id)?.place.map(usize::from)
    }

    pub(super) fn note_revision(&mut self, id: PlyId, revision: u32) {
        match self.find(id) {
            Ok(at) => self.0[at].revision = revision,
            Err(at) => self.0.insert(at, KnownPly { id, revision, place: None }),
        }
    }

    /// Notes the place of a known ply.
    pub(super) fn note_place(&mut self, id: PlyId, place: Option<usize>) {
        if let Ok(at) = self.find(id) {
            self.0[at].place = place.and_then(|place| u16::try_from(place).ok());
        }
    }
}
