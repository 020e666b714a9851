//! Event ids, and what of a match changed since one.

use std::fmt;

use super::Partition;

/// Things of one change that can have events of their own: one list of plies and every table.
const EVENTS_PER_CHANGE: u64 = 4096;

/// The id of a live event: the number of the change that caused it, and which of its things changed.
///
/// Changes are counted that everybody may see, and no others: from the number of an input one could tell that
/// something silent stands between two events. It grows for ever, also over restarts, because the log tells the same changes again. A
/// client that has received the event with an id has seen everything that last changed at that id or before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId(u64);

impl EventId {
    /// The event about a match's plies.
    pub fn of_plies(change: u64) -> EventId {
        EventId(change * EVENTS_PER_CHANGE)
    }

    /// The event about the table in this slot.
    pub fn of_table(change: u64, slot: usize) -> EventId {
        EventId(change * EVENTS_PER_CHANGE + 1 + slot as u64)
    }

    /// The event about sections, pairings and results.
    pub fn of_event(change: u64) -> EventId {
        EventId(change * EVENTS_PER_CHANGE + EVENTS_PER_CHANGE - 2)
    }

    /// The last event that a change can cause.
    pub fn last_of(change: u64) -> EventId {
        EventId(change * EVENTS_PER_CHANGE + EVENTS_PER_CHANGE - 1)
    }

    /// The id as a number, for the wire. Exact in JavaScript for the first 2 × 10¹² changes.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl From<u64> for EventId {
    fn from(number: u64) -> Self {
        EventId(number)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// First changed ply of a match, for every event since its beginning.
///
/// Only what can still matter is kept: a change from ply 7 on makes every earlier change from a
/// later ply superfluous, so there are never more entries than plies.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Partition in which they are counted, once there was one.
    partition: Option<Partition>,
    kept: Vec<(EventId, usize)>,
}

impl Changes {
    /// Notes that plies from `from` on changed at an event. In another partition than before no client has seen any of them.
    pub fn note(&mut self, partition: Partition, event: EventId, from: usize) {
        let is_moved = self.partition.replace(partition).is_some_and(|before| before != partition);
        let from = if is_moved { 0 } else { from };
        while self.kept.last().is_some_and(|&(_, earlier)| is_moved || earlier >= from) {
            self.kept.pop();
        }
        self.kept.push((event, from));
    }

    /// The first ply that changed after an event; none when none did.
    pub fn since(&self, event: EventId) -> Option<usize> {
        let index = self.kept.partition_point(|&(at, _)| at <= event);
        self.kept.get(index).map(|&(_, from)| from)
    }

    /// The last change, and where it is counted.
    pub fn last(&self) -> Option<(Partition, EventId)> {
        self.partition.zip(self.kept.last().map(|&(event, _)| event))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::TABLES_MAX;

    #[test]
    fn events_of_one_change_come_before_those_of_the_next() {
        let ids = [
            EventId::of_plies(1),
            EventId::of_table(1, 0),
            EventId::of_table(1, TABLES_MAX - 1),
            EventId::of_event(1),
            EventId::last_of(1),
            EventId::of_plies(2),
        ];
        assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]));
    }

    proptest! {
        #[test]
        fn a_client_gets_every_change_it_has_missed(
            changes in proptest::collection::vec(0usize..40, 0..60),
            seen in 0u64..70,
        ) {
            let mut kept = Changes::default();
            for (input, &from) in changes.iter().enumerate() {
                kept.note(Partition::GENERAL, EventId::of_plies(input as u64 + 1), from);
            }
            let missed = changes.iter().skip(seen as usize).min().copied();
            prop_assert_eq!(kept.since(EventId::last_of(seen)), missed);
        }
    }
}
