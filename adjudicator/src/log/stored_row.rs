//! Input as it is in the database: every column, and whether they are what was written.

use database_file::Checksum;

use crate::log::input::{Input, InputKind};

/// Columns of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StoredRow {
    pub(super) id: u64,
    pub(super) received_ms: u64,
    pub(super) kind: String,
    pub(super) hub: Option<String>,
    pub(super) boot_id: Option<u64>,
    pub(super) sequence: Option<u64>,
    pub(super) table: Option<String>,
    pub(super) match_id: Option<String>,
    pub(super) payload: Vec<u8>,
}

/// Outcome of reading an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Its checksum is right.
    Whole(StoredRow),
    /// The input was written by a release that wrote no checksum.
    Unchecked(StoredRow),
    /// The input is damaged; its content as far as it can be read.
    Damaged(StoredRow),
}

/// Databases have signed integers; boot ids use all 64 bits. The bits are kept.
pub(super) fn to_stored(value: u64) -> i64 {
    value.cast_signed()
}

pub(super) fn from_stored(value: i64) -> u64 {
    value.cast_unsigned()
}

impl StoredRow {
    /// The checksum of an input as it is to be written.
    pub(super) fn checksum(&self) -> i64 {
        let number = |value: Option<u64>| value.map(to_stored);
        Checksum::default()
            .number(to_stored(self.id))
            .number(to_stored(self.received_ms))
            .text(self.kind.as_str())
            .text(self.hub.as_deref())
            .number(number(self.boot_id))
            .number(number(self.sequence))
            .text(self.table.as_deref())
            .text(self.match_id.as_deref())
            .bytes(self.payload.as_slice())
            .value()
    }

    /// The kind, if this release knows it.
    pub(super) fn known_kind(&self) -> Option<InputKind> {
        InputKind::ALL.into_iter().find(|known| known.name() == self.kind)
    }
}

impl Read {
    /// Compares a row with its checksum. `is_read`: each of its columns could be read; `unchecked_until` is the last input that may be
    /// without a checksum.
    pub(super) fn of(
        found: StoredRow,
        is_read: bool,
        checksum: Option<Option<i64>>,
        unchecked_until: u64,
    ) -> Read {
        match checksum {
            Some(Some(checksum)) if is_read && checksum == found.checksum() => Read::Whole(found),
            Some(None) if is_read && found.id <= unchecked_until => Read::Unchecked(found),
            _ => Read::Damaged(found),
        }
    }

    /// The row, as far as it could be read.
    pub(super) fn row(&self) -> &StoredRow {
        match self {
            Read::Whole(row) | Read::Unchecked(row) | Read::Damaged(row) => row,
        }
    }

    /// The input that the hall is given. One that is damaged says nothing but that it is there.
    ///
    /// # Errors
    ///
    /// Another release has written it.
    pub(super) fn input(self) -> Result<Input, sqlx::Error> {
        let row = match self {
            Read::Whole(row) | Read::Unchecked(row) => row,
            Read::Damaged(row) => {
                let (id, received_ms) = (row.id, row.received_ms);
                tracing::error!(
                    input = id,
                    "the database's disk has damaged an input of the log: it is left out, and a start looks through all of them"
                );
                let kind = InputKind::Damaged;
                return Ok(Input {
                    id,
                    received_ms,
                    kind,
                    hub: None,
                    match_id: None,
                    payload: Vec::new(),
                });
            }
        };
        let kind = row.known_kind().ok_or_else(|| {
            sqlx::Error::Decode(format!("input kind {:?} is from another version", row.kind).into())
        })?;
        let StoredRow { id, received_ms, hub, match_id, payload, .. } = row;
        Ok(Input { id, received_ms, kind, hub, match_id, payload })
    }
}
