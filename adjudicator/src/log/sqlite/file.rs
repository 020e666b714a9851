//! Parts of a file besides its inputs: its pages and indices, and the copy of the last acts.

use sqlx::SqliteConnection;

use super::{Sqlite, acts_copy};
use crate::log::{StoreError, shard_log::Inspected};

/// Maximum number of reported characters of the damage that SQLite finds.
const FOUND_CHARS_MAX: usize = 300;

/// In a larger file indices are not compared with their tables at a start, bytes; a still larger one is not looked through by SQLite at all. The
/// rows are looked through in any case. Measured with 600,000 rows, 128 MB, on two cores with a load of 20: 1.6 s, with indices 21 s.
const WHOLE_CHECK_BYTES_MAX: i64 = 16 << 20;
const QUICK_CHECK_BYTES_MAX: i64 = 2 << 30;

impl Sqlite {
    /// Looks through the file and the copy of the last acts; indices that contradict their tables are made again.
    pub(super) async fn look_beside(&self) -> Result<Inspected, StoreError> {
        let mut database = self.writer.acquire().await?;
        let file = check_file(&mut database).await;
        let file = file.map_err(|error| StoreError::from(error).of(&self.path))?;
        if file.is_some() {
            // The damage may be in an index, which can be made again from its table; elsewhere the table is still read.
            let made = sqlx::query("REINDEX").execute(&mut *database).await;
            drop(made.inspect_err(
                |error| tracing::error!(%error, "the database's indices cannot be made again"),
            ));
        }
        let (path, generation) = (self.path.clone(), self.generation);
        let found = tokio::task::spawn_blocking(move || acts_copy::read(&path, generation)).await;
        let found = match found.map_err(std::io::Error::other).flatten() {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(%error, "the copy of the last acts beside the database cannot be read");
                acts_copy::FoundActs { is_damaged: true, ..Default::default() }
            }
        };
        let (acts, is_copy_damaged) = (found.acts, found.is_damaged);
        Ok(Inspected { file, acts, is_copy_damaged, counted: 0 })
    }
}

/// Damage that SQLite finds in the file; none for a whole one, or one that is too large for the check.
async fn check_file(database: &mut SqliteConnection) -> Result<Option<String>, sqlx::Error> {
    let bytes = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    let bytes: i64 = sqlx::query_scalar(bytes).fetch_one(&mut *database).await?;
    if bytes > QUICK_CHECK_BYTES_MAX {
        tracing::warn!(
            bytes,
            "the database is too large to be looked through by SQLite at a start: its rows are"
        );
        return Ok(None);
    }
    let check = match bytes <= WHOLE_CHECK_BYTES_MAX {
        true => "PRAGMA integrity_check(3)",
        false => "PRAGMA quick_check(3)",
    };
    let found: Vec<String> = sqlx::query_scalar(check).fetch_all(database).await?;
    match found.as_slice() {
        [ok] if ok == "ok" => Ok(None),
        _ => Ok(Some(found.join("; ").replace('\n', " ").chars().take(FOUND_CHARS_MAX).collect())),
    }
}
