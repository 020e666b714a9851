//! Copies of the database, and putting one back.
//!
//! A copy is made beside a running adjudicator. Putting one back needs the adjudicator stopped: it holds the whole event
//! in memory. After its start every hub gives again what the copy lacks and the hub still has.

use std::path::{Path, PathBuf};

use database_file::{Copied, CopyError, Kind, Lock};
use sqlx::SqliteConnection;

use super::{StoreError, from_stored, generation, migrations};

/// Keeps a second adjudicator, or a restore, away from a database. Given up when it is dropped.
#[derive(Debug)]
pub struct StoreLock(#[allow(dead_code, reason = "it is held, not read")] Lock);

impl StoreLock {
    /// Takes the lock of a database that is to be written.
    ///
    /// # Errors
    ///
    /// Somebody else has it, or its file cannot be made.
    pub fn take(path: &Path) -> Result<StoreLock, StoreError> {
        match Lock::take(path) {
            Ok(Some(lock)) => Ok(StoreLock(lock)),
            Ok(None) => Err(StoreError::InUse { place: path.into(), holder: None }),
            Err(error) => Err(StoreError::Open { place: path.into(), source: error.into() }),
        }
    }
}

/// Copies the database as it is now into a new file, whole or not at all, while an adjudicator goes on writing it. Returns how many inputs
/// the copy has.
///
/// # Errors
///
/// There is no database, the copy is there already, or it cannot be written; then nothing of it is left.
pub async fn back_up(path: &Path, to: &Path) -> Result<Copied<u64>, CopyError> {
    database_file::copy(path, to, inputs).await
}

/// Puts a copy in the place of the database. What was there is kept beside it, under the name that is returned with the number of inputs
/// of the copy.
///
/// # Errors
///
/// An adjudicator runs, the copy is damaged, or a file cannot be written; then the database is what it was.
pub async fn restore(
    path: &Path,
    from: &Path,
    now_ms: u64,
) -> Result<(Copied<u64>, Option<PathBuf>), CopyError> {
    database_file::put_back(path, from, now_ms, &Log).await
}

/// The log as a kind of database.
struct Log;

impl Kind for Log {
    type Content = u64;

    async fn bring_forward(&self, database: &mut SqliteConnection) -> Result<(), String> {
        let brought = migrations::of_sqlite().run(database).await;
        brought.map_err(|error| format!("it does not fit this version: {error}"))
    }

    async fn look(&self, database: &mut SqliteConnection) -> Result<u64, String> {
        inputs(database).await
    }

    /// A copy is another log than the one that it was taken of.
    async fn renew(&self, database: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        generation::renew(database).await.map(drop)
    }
}

/// Number of inputs in a database.
async fn inputs(database: &mut SqliteConnection) -> Result<u64, String> {
    let inputs = sqlx::query_scalar("SELECT COUNT(*) FROM input").fetch_one(database).await;
    inputs.map(from_stored).map_err(|_| "it has no log of an adjudicator".to_owned())
}
