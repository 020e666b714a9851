//! Set of sequences as ranges: a boot has very many rows and few gaps.

use std::collections::BTreeMap;

/// Sequences, first and last of each range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range.
    pub(super) fn add(&mut self, first: u64, last: u64) {
        if first > last {
            return;
        }
        let (mut first, mut last) = (first, last);
        // Ranges that it touches become one with it.
        while let Some((&begins, &ends)) = self.0.range(..=last.saturating_add(1)).next_back() {
            if ends.saturating_add(1) < first {
                break;
            }
            self.0.remove(&begins);
            (first, last) = (first.min(begins), last.max(ends));
        }
        self.0.insert(first, last);
    }

    /// Whether a sequence is among them.
    pub(super) fn has(&self, sequence: u64) -> bool {
        self.0.range(..=sequence).next_back().is_some_and(|(_, &ends)| ends >= sequence)
    }

    /// Last sequence up to which all are present, from 1; 0 for none.
    pub(super) fn without_gap(&self) -> u64 {
        self.0.get(&1).copied().unwrap_or(0)
    }

    /// The greatest one; 0 for none.
    pub(super) fn last(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, &ends)| ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one_and_gaps_stay() {
        let mut ranges = Ranges::default();
        for (first, last) in [(1, 3), (9, 9), (5, 6), (4, 4), (8, 8), (2, 5), (7, 3)] {
            ranges.add(first, last);
        }
        assert_eq!((ranges.without_gap(), ranges.last()), (6, 9));
        assert!(ranges.has(6) && !ranges.has(7) && ranges.has(8) && !ranges.has(10));
        ranges.add(7, 7);
        assert_eq!(ranges.without_gap(), 9);
        ranges.add(u64::MAX, u64::MAX);
        assert_eq!(ranges.last(), u64::MAX);
    }
}
