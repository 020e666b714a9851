//! Copy of a database as it is now, whole or not at all, while its program goes on writing.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};

use crate::error::{CopyError, written};
use crate::{BUSY_TIMEOUT, INDEX, LOGS, beside, folder, part, private};

/// A finished copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied<T> {
    /// Its content.
    pub content: T,
    /// Size of the file, bytes.
    pub bytes: u64,
}

/// Options to read a database that another process may be writing.
fn to_read(database: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(database)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("trusted_schema", "OFF")
}

/// Copies a database into a new file, and checks the copy. `look` says what is in it, or why it is no copy of the right kind.
/// When root does it, the copy belongs to the owner of its folder.
///
/// # Errors
///
/// The database is missing, the copy exists already, there is too little free space, or it cannot be written; then the file is
/// removed.
pub async fn copy<T>(
    database: &Path,
    to: &Path,
    look: impl AsyncFn(&mut SqliteConnection) -> Result<T, String>,
) -> Result<Copied<T>, CopyError> {
    if !database.is_file() {
        return Err(CopyError::Missing(database.to_owned()));
    }
    let read = |source| CopyError::Read { path: database.to_owned(), source };
    let opened = SqliteConnection::connect_with(&to_read(database)).await;
    let mut opened = opened.map_err(read)?;
    let copied = copy_read(&mut opened, to, look).await;
    opened.close().await.map_err(read)?;
    copied
}

/// Copies what a connection reads.
async fn copy_read<T>(
    from: &mut SqliteConnection,
    to: &Path,
    look: impl AsyncFn(&mut SqliteConnection) -> Result<T, String>,
) -> Result<Copied<T>, CopyError> {
    folder::hold(to)?;
    if to.exists() {
        return Err(CopyError::Exists(to.to_owned()));
    }
    folder::hold_room(to, size(from, to).await?)?;
    let part = part(to);
    remove(&part)?;
    let copied = write(from, to, &part, look).await;
    if copied.is_err() {
        remove(&part)?;
    }
    copied
}

/// Size of a copy, bytes.
async fn size(from: &mut SqliteConnection, to: &Path) -> Result<u64, CopyError> {
    let size = sqlx::query_scalar(
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    );
    let size: Result<i64, _> = size.fetch_one(from).await;
    let size = size.map_err(|source| CopyError::Copy { path: to.to_owned(), source })?;
    Ok(size.cast_unsigned())
}

async fn write<T>(
    from: &mut SqliteConnection,
    to: &Path,
    part: &Path,
    look: impl AsyncFn(&mut SqliteConnection) -> Result<T, String>,
) -> Result<Copied<T>, CopyError> {
    let name = part.to_str().ok_or_else(|| CopyError::Name(to.to_owned()))?;
    // SQLite accepts an existing file if it is empty.
    written(part, private::create(part).and_then(|file| folder::give_to_owner(part, &file)))?;
    let vacuumed = sqlx::query("VACUUM INTO $1").bind(name).execute(from).await;
    vacuumed.map_err(|source| CopyError::Copy { path: to.to_owned(), source })?;
    let damaged = |found: String| CopyError::Damaged { path: to.to_owned(), found };
    let opened = SqliteConnection::connect_with(&to_read(part)).await;
    let mut opened = opened.map_err(|error| damaged(error.to_string()))?;
    let content = examine(&mut opened, look).await.map_err(damaged)?;
    drop(opened.close().await);
    settle(part, to)?;
    let bytes = written(to, fs::metadata(to))?.len();
    Ok(Copied { content, bytes })
}

/// Checks a database, and reads its content.
pub(crate) async fn examine<T>(
    database: &mut SqliteConnection,
    look: impl AsyncFn(&mut SqliteConnection) -> Result<T, String>,
) -> Result<T, String> {
    let verdict = sqlx::query_scalar("PRAGMA quick_check").fetch_one(&mut *database).await;
    let verdict: String = verdict.map_err(|error| error.to_string())?;
    match verdict.as_str() {
        "ok" => look(database).await,
        _ => Err(verdict),
    }
}

/// Gives a file that was written its name, once it is on the disk.
pub(crate) fn settle(part: &Path, to: &Path) -> Result<(), CopyError> {
    written(part, File::open(part).and_then(|file| file.sync_all()))?;
    written(to, fs::rename(part, to))?;
    written(to, folder::sync(to))
}

/// Removes the files that another attempt has left: a database with its logs and index.
pub(crate) fn remove(database: &Path) -> Result<(), CopyError> {
    let companions = LOGS.iter().chain([&INDEX]).map(|ending| beside(database, ending));
    // The file itself last: a log without its file does no harm.
    companions.chain([database.to_owned()]).try_for_each(|file| match fs::remove_file(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => written(&file, outcome),
    })
}
