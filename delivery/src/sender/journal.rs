//! What a sender asks its hub's journal, and what the journal is to write down.

use std::collections::BTreeMap;

use crate::JournalRow;

/// What the journal is to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The last acknowledged row of each of the latest boots that have one, at most so many, in order.
    LastAcknowledged(usize),
    /// Rows that are not acknowledged, in order.
    RowsAfter {
        /// Behind this place.
        row_id: i64,
        /// At most so many.
        limit: usize,
    },
    /// The first row that is there of each boot.
    FirstSequences,
}

/// What the journal told.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Query::LastAcknowledged`].
    LastAcknowledged(Vec<JournalRow>),
    /// To [`Query::RowsAfter`].
    RowsAfter(Vec<JournalRow>),
    /// To [`Query::FirstSequences`]: by boot.
    FirstSequences(BTreeMap<u64, u64>),
}

/// What the journal is to write down, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The adjudicator has lost the rows of a boot after a sequence, which it had acknowledged: they wait again.
    GivenBack {
        /// The boot.
        boot_id: u64,
        /// The last row that it has.
        sequence: u64,
    },
    /// The adjudicator has committed the rows of a boot up to a sequence.
    Acknowledged {
        /// The boot.
        boot_id: u64,
        /// The last row that it has.
        sequence: u64,
    },
}
