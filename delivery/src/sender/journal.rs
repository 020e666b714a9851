//! Queries of a sender to its hub's journal, and notes for it to store.

use std::collections::BTreeMap;

use crate::JournalRow;

/// A query to the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The last acknowledged row of each of the latest boots that have one, at most this number, in order.
    LastAcknowledged(usize),
    /// Rows that are not acknowledged, in order.
    RowsAfter {
        /// Behind this place.
        row_id: i64,
        /// Maximum number of rows.
        limit: usize,
    },
    /// The first stored row of each boot.
    FirstSequences,
}

/// The journal's answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Query::LastAcknowledged`].
    LastAcknowledged(Vec<JournalRow>),
    /// To [`Query::RowsAfter`].
    RowsAfter(Vec<JournalRow>),
    /// To [`Query::FirstSequences`]: by boot.
    FirstSequences(BTreeMap<u64, u64>),
}

/// A note for the journal, to be stored in this order.
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
