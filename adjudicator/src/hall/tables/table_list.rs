//! The tables of the hall, with indices by name and by last change.

use std::{
    ops::{Bound, Index, IndexMut},
    sync::Arc,
};

use imbl::{HashMap, OrdMap, Vector};

use crate::hall::{EventId, Partition, Table, natural_order, shared::Shared};

/// All tables, each at its slot for ever. A clone shares every table that has not changed since.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    slots: Vector<Shared<Table>>,
    by_name: HashMap<Arc<str>, usize>,
    /// Slots in the order in which people count their names.
    in_order: Vector<usize>,
    /// Slots by last change.
    by_change: OrdMap<(Partition, EventId), usize>,
}

impl Tables {
    /// The tables in the order in which people count: 2 before 10.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.in_order.iter().map(|&slot| &self[slot])
    }

    /// The tables in the order of their slots: those of the configuration, then others as they came.
    pub(in crate::hall) fn slots(&self) -> impl Iterator<Item = &Table> {
        self.slots.iter().map(|table| &**table)
    }

    /// Tables of a partition that changed after an event.
    pub fn changed_after(
        &self,
        partition: Partition,
        event: EventId,
    ) -> impl Iterator<Item = &Table> {
        let (after, end) = ((partition, event), (partition, EventId::from(u64::MAX)));
        let changed = self.by_change.range((Bound::Excluded(after), Bound::Included(end)));
        changed.map(|(_, &slot)| &self[slot])
    }

    /// Notes the event of a table's last change.
    pub(in crate::hall) fn note_change(
        &mut self,
        slot: usize,
        partition: Partition,
        event: EventId,
    ) {
        let before = std::mem::replace(&mut self[slot].changed, (partition, event));
        self.by_change.remove(&before);
        self.by_change.insert((partition, event), slot);
    }

    /// Number of tables.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The table of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Table> {
        self.slot_of(name).map(|slot| &self[slot])
    }

    pub(in crate::hall) fn slot_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Adds a table of a new name. Returns its slot.
    pub(in crate::hall) fn push(&mut self, table: Table) -> usize {
        let slot = self.slots.len();
        self.by_name.insert(table.name.as_str().into(), slot);
        let by_name = |at: &usize| natural_order::compare(&self.slots[*at].name, &table.name);
        let place = self.in_order.binary_search_by(by_name).unwrap_or_else(|place| place);
        self.in_order.insert(place, slot);
        self.slots.push_back(table.into());
        slot
    }
}

impl Index<usize> for Tables {
    type Output = Table;

    fn index(&self, slot: usize) -> &Table {
        &self.slots[slot]
    }
}

impl IndexMut<usize> for Tables {
    fn index_mut(&mut self, slot: usize) -> &mut Table {
        &mut self.slots[slot]
    }
}
