//! Whether what the database says means that its disk is full.

use sqlx::migrate::MigrateError;

use super::StoreError;

/// SQLite's result codes for a full disk: SQLITE_FULL, and failed writes of the file or of the shared memory beside it
/// (SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE).
const CODES: [u32; 3] = [13, 778, 4874];

impl StoreError {
    /// Whether room on the disk would cure it.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            StoreError::Open { source, .. } | StoreError::Statement(source) => is_full(source),
            StoreError::Version { source: MigrateError::Execute(source), .. } => is_full(source),
            _ => false,
        }
    }
}

fn is_full(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().and_then(|code| code.parse().ok()).is_some_and(|code| CODES.contains(&code))
}
