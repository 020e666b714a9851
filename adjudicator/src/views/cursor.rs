//! A client's position in an audience's stream.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use crate::{
    hall::{EventId, Hall, Partition},
    limits::PARTITIONS_MAX,
};

/// The last event that was seen of each partition of an audience's changes, as clients send it back.
///
/// For clients it is a word without a meaning: `{epoch}-{event}-{event}…`, the numbers in base 16. The epoch names delays and log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) epoch: u32,
    pub(crate) seen: Vec<EventId>,
}

impl Cursor {
    /// Cursor of a reader of the floor; no stream is resumed with it.
    pub fn of_floor(hall: &Hall) -> Cursor {
        let partitions = hall.partitions();
        Cursor { epoch: 0, seen: partitions.all().map(|(it, _)| partitions.last(it)).collect() }
    }

    /// Whether it is that of a client that has seen nothing: `0`.
    pub fn is_start(&self) -> bool {
        self.epoch == 0 && self.seen.is_empty()
    }

    /// Notes that an event of a partition was seen.
    pub(crate) fn note(&mut self, partition: Partition, event: EventId) {
        if let Some(seen) = self.seen.get_mut(partition.index()) {
            *seen = event;
        }
    }

    /// The last event seen of a partition.
    pub fn seen(&self, partition: Partition) -> EventId {
        self.seen.get(partition.index()).copied().unwrap_or_default()
    }
}

/// The client's text is no cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("last_event_id is no event id: send the id of the last event received, or nothing")]
pub struct ParseCursorError;

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('-');
        let epoch = parts.next().and_then(|part| u32::from_str_radix(part, 16).ok());
        let seen = parts.map(|part| u64::from_str_radix(part, 16).map(EventId::from));
        let seen: Result<Vec<EventId>, _> = seen.take(PARTITIONS_MAX + 1).collect();
        match (epoch, seen) {
            (Some(epoch), Ok(seen)) => Ok(Cursor { epoch, seen }),
            _ => Err(ParseCursorError),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.epoch)?;
        self.seen.iter().try_for_each(|event| write!(f, "-{:x}", event.number()))
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_reads_as_it_was_written(epoch: u32, seen in proptest::collection::vec(any::<u64>(), 0..PARTITIONS_MAX)) {
            let cursor = Cursor { epoch, seen: seen.into_iter().map(EventId::from).collect() };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }

        #[test]
        fn whatever_a_client_sends_is_a_cursor_or_refused(text in ".{0,60}") {
            let _ = text.parse::<Cursor>();
        }
    }
}
