//! Copies of a journal, and putting one back: before an update, and when a card was lost.
//!
//! A copy is made beside a running hub. Putting one back needs the hub stopped. Afterwards the hub sends the copy's unacknowledged rows,
//! and the adjudicator accepts those that it lacks.

use std::path::{Path, PathBuf};

use database_file::{Copied, CopyError, Kind};
use sqlx::SqliteConnection;

use super::schema;

/// Contents of a copy of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedJournal {
    /// The hub that wrote it.
    pub hub_id: String,
    /// Number of matches.
    pub matches: u64,
    /// Number of rows for the adjudicator.
    pub rows: u64,
}

/// Copies a journal as it is now into a new file, whole or not at all, while a hub goes on writing it.
///
/// # Errors
///
/// There is no journal, the copy exists already, or it cannot be written; then nothing of it is left.
pub async fn back_up(journal: &Path, to: &Path) -> Result<Copied<CopiedJournal>, CopyError> {
    database_file::copy(journal, to, look).await
}

/// Puts a copy in the place of a journal. The former journal is kept beside it, under the name that is returned with the copy's contents.
///
/// # Errors
///
/// A hub has the journal, the copy is damaged, or a file cannot be written; then the journal is what it was.
pub async fn restore(
    journal: &Path,
    from: &Path,
    now_ms: u64,
) -> Result<(Copied<CopiedJournal>, Option<PathBuf>), CopyError> {
    database_file::put_back(journal, from, now_ms, &OfHub).await
}

/// The journal as a kind of database.
struct OfHub;

impl Kind for OfHub {
    type Content = CopiedJournal;

    async fn bring_forward(&self, database: &mut SqliteConnection) -> Result<(), String> {
        super::bring_forward(database).await.map_err(|error| error.to_string())
    }

    async fn look(&self, database: &mut SqliteConnection) -> Result<CopiedJournal, String> {
        look(database).await
    }

    /// The next boot's id is another one than any that came after the copy.
    async fn renew(&self, _: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        Ok(())
    }
}

async fn look(copy: &mut SqliteConnection) -> Result<CopiedJournal, String> {
    match schema::found(copy).await.map_err(|error| error.to_string())? {
        None => return Err("it is no journal of a hub".to_owned()),
        Some(layout) if !schema::is_readable(layout) => {
            return Err(format!(
                "it has layout {layout}, which another version of this program reads"
            ));
        }
        Some(_) => {}
    }
    let held: Result<(Option<String>, i64, i64), _> = sqlx::query_as(
        "SELECT (SELECT hub_id FROM about), (SELECT COUNT(*) FROM matches), (SELECT COUNT(*) FROM outgoing)",
    )
    .fetch_one(copy)
    .await;
    let (hub_id, matches, rows) = held.map_err(|error| error.to_string())?;
    let (matches, rows) = (matches.cast_unsigned(), rows.cast_unsigned());
    Ok(CopiedJournal { hub_id: hub_id.unwrap_or_default(), matches, rows })
}
