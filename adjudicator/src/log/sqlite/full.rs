//! Tests of a database's error: whether its disk is full, or has damaged it.

use std::path::Path;

use sqlx::migrate::MigrateError;

use super::StoreError;

/// SQLite's result codes for a full disk: SQLITE_FULL, and failed writes of the file or of the shared memory beside it
/// (SQLITE_IOERR_WRITE, SQLITE_IOERR_SHMSIZE).
const CODES: [u32; 3] = [13, 778, 4874];
/// PostgreSQL's for a full disk.
const POSTGRES_FULL: &str = "53100";

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

/// SQLite's primary codes for a file that is not what was written: SQLITE_CORRUPT, SQLITE_NOTADB.
const DAMAGED_CODES: [u32; 2] = [11, 26];

impl StoreError {
    /// The same, as damage of the file if that is what SQLite says.
    pub(super) fn of(self, path: &Path) -> StoreError {
        let code = |source: &sqlx::Error| match source {
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()),
            _ => None,
        };
        match &self {
            StoreError::Statement(source)
                if code(source).is_some_and(|code| DAMAGED_CODES.contains(&(code & 0xff))) =>
            {
                StoreError::Damaged { place: path.into(), found: source.to_string() }
            }
            _ => self,
        }
    }
}

fn is_full(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    let Some(code) = error.code() else { return false };
    code == POSTGRES_FULL || code.parse().is_ok_and(|code| CODES.contains(&code))
}
