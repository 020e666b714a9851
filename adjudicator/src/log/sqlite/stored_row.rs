//! Input as it is in the database: every column, and whether they are what was written.

use database_file::Checksum;
use sqlx::{Row as _, sqlite::SqliteRow};

use super::{from_stored, to_stored};
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

/// What became of reading an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Its checksum is right.
    Whole(StoredRow),
    /// It was written by a release that wrote no checksum.
    Unchecked(StoredRow),
    /// It is not what was written; as far as it can be read.
    Damaged(StoredRow),
}

impl StoredRow {
    /// All columns, in the order in which [`Self::read`] expects them by name.
    pub(super) const COLUMNS: &str =
        "id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum";

    /// The same of a database of a release that wrote no checksums.
    pub(super) const COLUMNS_WITHOUT_CHECKSUM: &str = "id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, NULL AS checksum";

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

    /// Reads a row; `unchecked_until` is the last input that may be without a checksum.
    pub(super) fn read(row: &SqliteRow, unchecked_until: u64) -> Read {
        let mut found = StoredRow::default();
        let read = found.fill(row);
        let checksum: Result<Option<i64>, _> = row.try_get("checksum");
        match (read, checksum) {
            (Ok(()), Ok(Some(checksum))) if checksum == found.checksum() => Read::Whole(found),
            (Ok(()), Ok(None)) if found.id <= unchecked_until => Read::Unchecked(found),
            _ => Read::Damaged(found),
        }
    }

    fn fill(&mut self, row: &SqliteRow) -> Result<(), sqlx::Error> {
        self.id = from_stored(row.try_get("id")?);
        self.received_ms = from_stored(row.try_get("received_ms")?);
        self.kind = row.try_get("kind")?;
        self.hub = row.try_get("hub")?;
        self.boot_id = row.try_get::<Option<i64>, _>("boot_id")?.map(from_stored);
        self.sequence = row.try_get::<Option<i64>, _>("sequence")?.map(from_stored);
        self.table = row.try_get("table_name")?;
        self.match_id = row.try_get("match_id")?;
        self.payload = row.try_get("payload")?;
        Ok(())
    }

    /// The kind, if this release knows it.
    pub(super) fn known_kind(&self) -> Option<InputKind> {
        InputKind::ALL.into_iter().find(|known| known.name() == self.kind)
    }
}

impl Read {
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
                    "this machine's disk has damaged an input of the log: it is left out, and a start looks through all of them"
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
