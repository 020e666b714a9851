//! The newest inputs of the log in memory: whoever follows it is given what was just committed, and the database is not asked for it.

use std::collections::VecDeque;

use super::{
    input::Input,
    shard_log::{READ_BYTES_MAX, READ_LIMIT},
    stored_row::{Read, StoredRow},
};

/// Bytes of payload that are kept at most.
const KEPT_BYTES_MAX: usize = 2 * READ_BYTES_MAX;
/// Inputs that are kept at most.
const KEPT_MAX: usize = 2 * READ_LIMIT as usize;

/// Committed inputs without a hole between them.
#[derive(Debug, Default)]
pub(super) struct Tail {
    inputs: VecDeque<Input>,
    bytes: usize,
}

impl Tail {
    /// Adds inputs that were committed. What does not follow the last one begins the tail again.
    pub(super) fn extend(&mut self, committed: Vec<StoredRow>) {
        for row in committed {
            let Ok(input) = Read::Whole(row).input() else { continue };
            if self.inputs.back().is_some_and(|last| last.id + 1 != input.id) {
                self.clear();
            }
            self.bytes += input.payload.len();
            self.inputs.push_back(input);
        }
        while self.bytes > KEPT_BYTES_MAX || self.inputs.len() > KEPT_MAX {
            let Some(oldest) = self.inputs.pop_front() else { break };
            self.bytes -= oldest.payload.len();
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Tail::default();
    }

    /// Inputs after `after`, oldest first, as many as one read of the log has; none where it does not have the first of them.
    pub(super) fn after(&self, after: u64) -> Option<Vec<Input>> {
        let first = self.inputs.front()?.id;
        let skipped = usize::try_from((after + 1).checked_sub(first)?).ok()?;
        let mut bytes = 0;
        let inputs = self.inputs.iter().skip(skipped).take(READ_LIMIT as usize);
        let part = inputs.take_while(|input| {
            let is_within = bytes < READ_BYTES_MAX;
            bytes += input.payload.len();
            is_within
        });
        Some(part.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: impl IntoIterator<Item = u64>, bytes: usize) -> Vec<StoredRow> {
        let row = |id| StoredRow {
            id,
            kind: "link-up".to_owned(),
            payload: vec![0; bytes],
            ..StoredRow::default()
        };
        ids.into_iter().map(row).collect()
    }

    fn ids(tail: &Tail, after: u64) -> Option<Vec<u64>> {
        Some(tail.after(after)?.iter().map(|input| input.id).collect())
    }

    #[test]
    fn what_it_has_is_given_without_a_hole_and_what_it_lacks_is_not() {
        let mut tail = Tail::default();
        assert_eq!(ids(&tail, 0), None);
        tail.extend(rows(5..=7, 1));
        assert_eq!((ids(&tail, 3), ids(&tail, 4)), (None, Some(vec![5, 6, 7])));
        assert_eq!((ids(&tail, 6), ids(&tail, 7)), (Some(vec![7]), Some(vec![])));
        tail.extend(rows([9], 1));
        assert_eq!((ids(&tail, 7), ids(&tail, 8)), (None, Some(vec![9])));
    }

    #[test]
    fn it_is_bounded_and_gives_no_more_than_one_read() {
        let mut tail = Tail::default();
        tail.extend(rows(1..=10_000, 1));
        assert_eq!(tail.inputs.len(), KEPT_MAX);
        assert_eq!(ids(&tail, 6_000).unwrap().len(), READ_LIMIT as usize);
        tail.extend(rows(10_001..=10_100, READ_BYTES_MAX / 8));
        assert!(tail.bytes <= KEPT_BYTES_MAX, "{}", tail.bytes);
        assert_eq!(ids(&tail, 10_090).unwrap().len(), 8);
    }
}
