//! How much of the log one hub may fill: a hub's account in wrong hands, or a hub that has gone mad, must not fill the disk of the hall.
//!
//! What is above is not taken and not acknowledged. An honest hub keeps it in its journal.

use std::collections::HashMap;

use sqlx::{Row as _, SqliteConnection};

use super::{Batch, NewRow, from_stored};

/// Most bytes of rows of one hub: some sixteen tables fill a tenth of it in a long day.
pub const HUB_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// What a row costs besides what it says: its place in the table and its indices.
const ROW_OVERHEAD_BYTES: u64 = 64;

/// What a row counts.
#[must_use]
pub fn weight(payload: &[u8]) -> u64 {
    payload.len() as u64 + ROW_OVERHEAD_BYTES
}

/// What every hub has written.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    bytes: HashMap<String, u64>,
}

impl Quotas {
    /// As the log has them.
    pub(super) async fn read(connection: &mut SqliteConnection) -> Result<Quotas, sqlx::Error> {
        let rows = sqlx::query(
            "SELECT hub, SUM(LENGTH(payload)) AS bytes, COUNT(*) AS rows FROM input WHERE kind = 'row' GROUP BY hub",
        )
        .fetch_all(connection)
        .await?;
        let of_hub = |row: &sqlx::sqlite::SqliteRow| {
            let (bytes, rows) =
                (from_stored(row.try_get("bytes")?), from_stored(row.try_get("rows")?));
            Ok((row.try_get("hub")?, bytes + rows * ROW_OVERHEAD_BYTES))
        };
        Ok(Quotas { bytes: rows.iter().map(of_hub).collect::<Result<_, sqlx::Error>>()? })
    }

    /// Whether a message fits.
    pub(super) fn has_room(&self, batch: &Batch<'_>) -> bool {
        let before = self.bytes.get(batch.hub).copied().unwrap_or_default();
        before + batch.rows.iter().map(|row| weight(&row.payload)).sum::<u64>() <= HUB_BYTES_MAX
    }

    /// These rows of a hub were committed.
    pub(super) fn add<'a>(&mut self, hub: &str, rows: impl Iterator<Item = &'a NewRow>) {
        *self.bytes.entry(hub.to_owned()).or_default() +=
            rows.map(|row| weight(&row.payload)).sum::<u64>();
    }
}
