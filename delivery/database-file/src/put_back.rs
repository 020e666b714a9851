//! A copy in the place of a database.
//!
//! The last commits may be in the log beside the database alone. It is carried over before anything is moved, so that each of
//! the two databases is one file, and one rename moves it. Killed at any moment, it leaves the old database, the new one, or
//! only the unfinished new one. In the last case a start refuses ([`crate::hold_finished`]), and the same command repeats all
//! of it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};

use crate::copy::{examine, remove, settle};
use crate::error::{CopyError, written};
use crate::{
    BUSY_TIMEOUT, Copied, INDEX, LOGS, Lock, beside, folder, part, private, schema, source,
};

/// A kind of database: the hub's journal or the adjudicator's store.
pub trait Kind {
    /// Content of a copy.
    type Content;

    /// Makes the present tables in an empty database, or brings those of an earlier release forward.
    fn bring_forward(
        &self,
        database: &mut SqliteConnection,
    ) -> impl Future<Output = Result<(), String>>;

    /// Reads what is in a database, or why it is none of this kind.
    fn look(
        &self,
        database: &mut SqliteConnection,
    ) -> impl Future<Output = Result<Self::Content, String>>;

    /// Marks the new database as another one than the copy's original.
    fn renew(
        &self,
        database: &mut SqliteConnection,
    ) -> impl Future<Output = Result<(), sqlx::Error>>;
}

/// Replaces a database, which no process may have open for writing, by a copy. Only its rows are copied into a new file: a
/// trigger or a view in a copy would act on later writes. The replaced file is kept beside it; its name is returned with the
/// content of the copy. When root does it, the database belongs to the owner of its folder.
///
/// # Errors
///
/// Another process has the database, the copy is damaged or has other tables than this kind, or a file cannot be written; then
/// the database is unchanged.
pub async fn put_back<K: Kind>(
    database: &Path,
    from: &Path,
    now_ms: u64,
    kind: &K,
) -> Result<(Copied<K::Content>, Option<PathBuf>), CopyError> {
    if !from.is_file() {
        return Err(CopyError::Missing(from.to_owned()));
    }
    folder::hold(database)?;
    let lock = written(database, Lock::take(database))?;
    let _lock = lock.ok_or_else(|| CopyError::InUse(database.to_owned()))?;
    let (part, source) = (part(database), source(database));
    remove(&part)?;
    remove(&source)?;
    let prepared = async {
        let content = prepare(&part, &source, from, kind).await?;
        let is_one_file = database.is_file() && carry_over(database).await?;
        Ok((content, is_one_file))
    };
    let prepared = prepared.await;
    remove(&source)?;
    let (content, is_one_file) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            remove(&part)?;
            return Err(error);
        }
    };
    let kept = move_aside(database, &beside(database, &format!(".before-{now_ms}")), is_one_file)?;
    settle(&part, database)?;
    let bytes = written(database, fs::metadata(database))?.len();
    Ok((Copied { content, bytes }, kept))
}

/// Makes the file that is to become the database, and makes sure of it. The copy itself is not opened as a database: that can change it.
async fn prepare<K: Kind>(
    part: &Path,
    source: &Path,
    from: &Path,
    kind: &K,
) -> Result<K::Content, CopyError> {
    copy_bytes(from, source)?;
    for ending in LOGS {
        // Beside a copy that was made by hand, or a database that was kept with its log.
        let log = beside(from, ending);
        if log.is_file() {
            copy_bytes(&log, &beside(source, ending))?;
        }
    }
    let damaged = |found: String| CopyError::Damaged { path: from.to_owned(), found };
    let mut opened = open(source).await.map_err(|error| damaged(error.to_string()))?;
    let examined = async {
        schema::refuse_foreign(&mut opened).await?;
        let content = examine(&mut opened, async |database| kind.look(database).await).await?;
        kind.bring_forward(&mut opened).await?;
        Ok(content)
    };
    let examined = examined.await;
    drop(opened.close().await);
    let content = examined.map_err(damaged)?;
    written(part, private::create(part).and_then(|file| folder::give_to_owner(part, &file)))?;
    let mut opened =
        open(part).await.map_err(|source| CopyError::Copy { path: part.to_owned(), source })?;
    let filled = async {
        kind.bring_forward(&mut opened).await?;
        schema::copy_rows(&mut opened, source).await
    };
    if let Err(found) = filled.await {
        drop(opened.close().await);
        return Err(damaged(found));
    }
    let renewed = async {
        kind.renew(&mut opened).await?;
        // Everything is in the one file then.
        sqlx::query("PRAGMA journal_mode = DELETE").execute(&mut opened).await?;
        opened.close().await
    };
    renewed.await.map_err(|source| CopyError::Copy { path: part.to_owned(), source })?;
    written(part, File::open(part).and_then(|file| file.sync_all()))?;
    Ok(content)
}

fn copy_bytes(from: &Path, to: &Path) -> Result<(), CopyError> {
    let mut source = File::open(from)
        .map_err(|source| CopyError::Read { path: from.to_owned(), source: source.into() })?;
    let mut target = written(to, private::create(to))?;
    written(to, folder::give_to_owner(to, &target))?;
    // By writes of its own, which can be recorded: the system's way to copy between files shows no bytes.
    let writes: &mut dyn Write = &mut target;
    written(to, io::copy(&mut source, writes)).map(drop)
}

/// Carries the log of a database without a writer over into its file. False for a database that is damaged: its log may be what
/// is left of it.
async fn carry_over(database: &Path) -> Result<bool, CopyError> {
    // The last run may have ended because its disk failed.
    written(database, crate::write_ahead_log::rewrite(database).await)?;
    let Ok(mut opened) = open(database).await else { return Ok(false) };
    let carried = async {
        // A reader rolls back what a rollback journal lists.
        sqlx::query("SELECT COUNT(*) FROM sqlite_schema").execute(&mut opened).await?;
        let is_read = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut opened);
        let is_read: bool = is_read.await?;
        opened.close().await?;
        Ok::<bool, sqlx::Error>(is_read)
    };
    match carried.await {
        Ok(false) => Ok(true),
        Ok(true) => Err(CopyError::InUse(database.to_owned())),
        Err(_) => Ok(false),
    }
}

async fn open(database: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(database)
        .busy_timeout(BUSY_TIMEOUT)
        // Nothing that a file says of itself is carried out.
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON");
    SqliteConnection::connect_with(&options).await
}

/// Moves a database to another name, and its logs if something is in them. The file goes first: without it the logs are of no
/// consequence, and without them it would lack the last commits.
fn move_aside(database: &Path, to: &Path, is_one_file: bool) -> Result<Option<PathBuf>, CopyError> {
    let is_there = database.is_file();
    if is_there {
        written(to, fs::rename(database, to))?;
    }
    for ending in LOGS {
        let log = beside(database, ending);
        match log.is_file() {
            true if is_one_file => written(&log, fs::remove_file(&log))?,
            true => written(&log, fs::rename(&log, beside(to, ending)))?,
            false => {}
        }
    }
    let index = beside(database, INDEX);
    if index.is_file() {
        written(&index, fs::remove_file(&index))?;
    }
    written(database, folder::sync(database))?;
    Ok(is_there.then(|| to.to_owned()))
}
