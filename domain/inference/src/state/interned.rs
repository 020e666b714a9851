//! Values by number: a joint hypothesis names each of its positions, and the contents of its trays,
//! in two bytes.
//!
//! Hundreds of joint hypotheses share a few dozen positions of each board. So a position is stored once, and
//! everything that depends on the position alone is computed once.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Room at first, values. Bound: on memory.
const LEAST_ROOM: usize = 64;
/// Maximum room that is added at once, values. Bound: on memory.
const MOST_ROOM: usize = 4_096;

/// Values without doubles.
#[derive(Clone, Debug)]
pub(crate) struct Interned<T> {
    /// With their hashes: an index that grows asks for each again.
    known: Vec<(u64, T)>,
    /// The numbers, found by value.
    ids: HashTable<u16>,
    /// Maximum number of values.
    most: usize,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// No value yet. There is room for `most`.
    pub(crate) const fn new(most: usize) -> Interned<T> {
        Interned { known: Vec::new(), ids: HashTable::new(), most }
    }

    /// The number of `value`; a new number if it has none. None if no number is left.
    /// [`compact`](Self::compact) makes room before that.
    pub(crate) fn intern(&mut self, value: T) -> Option<u16> {
        let Interned { known, ids, most } = self;
        let value = (FxBuildHasher.hash_one(&value), value);
        if let Some(&id) = ids.find(value.0, |&id| known[usize::from(id)] == value) {
            return Some(id);
        }
        if known.len() >= *most {
            return None;
        }
        let id = known.len() as u16;
        ids.insert_unique(value.0, id, |&id| known[usize::from(id)].0);
        if known.len() == known.capacity() {
            // A list doubles its room by itself, and that would be most of the memory of a long match.
            known.reserve_exact(known.len().clamp(LEAST_ROOM, MOST_ROOM));
        }
        known.push(value);
        Some(id)
    }

    /// The value with this number.
    pub(crate) fn get(&self, id: u16) -> &T {
        &self.known[usize::from(id)].1
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * size_of::<(u64, T)>() + self.ids.capacity() * (size_of::<u16>() + 1)
    }

    /// Keeps only the values that `used` names, and renumbers them in the order of `used`.
    pub(crate) fn compact<'a>(&mut self, used: impl Iterator<Item = &'a mut u16>) {
        let mut kept = Interned::new(self.most);
        let mut renumbered: Vec<Option<u16>> = vec![None; self.known.len()];
        for id in used {
            let slot = &mut renumbered[usize::from(*id)];
            // There is always room: no more values are kept than had numbers before.
            *slot = slot.or_else(|| kept.intern(self.get(*id).clone()));
            *id = slot.unwrap_or(*id);
        }
        *self = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number_and_there_are_no_more_than_there_may_be() {
        let mut known = Interned::new(2);
        let numbers = ["one", "two", "one", "three"].map(|value| known.intern(value));
        assert_eq!(numbers, [Some(0), Some(1), Some(0), None]);
        assert_eq!(known.len(), 2);
    }

    #[test]
    fn forgetting_keeps_what_is_used_under_new_numbers() {
        let mut known = Interned::new(4);
        let numbers = ["one", "two", "three"].map(|value| known.intern(value).expect("room"));
        let (mut used, mut again, mut first) = (numbers[2], numbers[2], numbers[0]);
        known.compact([&mut used, &mut again, &mut first].into_iter());
        assert_eq!((used, again, first), (0, 0, 1));
        assert_eq!((*known.get(used), *known.get(first), known.len()), ("three", "one", 2));
    }
}
