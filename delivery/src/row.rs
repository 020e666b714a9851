//! A row in the journal's queue.

/// A row that waits for the adjudicator's acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalRow {
    /// Place in the journal, in the order of writing over all boots.
    pub row_id: i64,
    /// The boot it was written in.
    pub boot_id: u64,
    /// Its sequence in the boot.
    pub sequence: u64,
    /// The encoded `proto::mqtt::message::Row`.
    pub body: Vec<u8>,
}
