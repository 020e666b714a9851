//! Copies of the database, and putting one back.
//!
//! A copy is made beside a running adjudicator. Putting one back needs the adjudicator stopped: it holds the whole event
//! in memory. After its start every hub gives again what the copy lacks and the hub still has.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{BUSY_TIMEOUT, Store, StoreError, from_stored, generation};

/// What SQLite keeps beside a database.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// Keeps a second adjudicator, or a restore, away from a database. Given up when it is dropped.
#[derive(Debug)]
pub struct StoreLock(#[allow(dead_code, reason = "it is held, not read")] File);

/// Why a copy was not made or not put back.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no database.
    #[error("there is no database {}: name the adjudicator's configuration with --config", .0.display())]
    Missing(PathBuf),
    /// A file is in the way.
    #[error("{} is there already: choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// The copy is no database of an adjudicator, or it is damaged.
    #[error("{} is no whole copy of an adjudicator's database: {found}", path.display())]
    Damaged {
        /// The copy.
        path: PathBuf,
        /// What was found.
        found: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}; is there room, and may you write there?", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What a copy holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Inputs of the log.
    pub inputs: u64,
    /// Size of the file, bytes.
    pub bytes: u64,
}

impl StoreLock {
    /// Takes the lock of a database that is to be written.
    ///
    /// # Errors
    ///
    /// Somebody else has it, or its file cannot be made.
    pub fn take(path: &Path) -> Result<StoreLock, StoreError> {
        let open =
            |source| StoreError::Open { path: path.to_owned(), source: sqlx::Error::Io(source) };
        let file = File::create(with_ending(path, ".lock")).map_err(open)?;
        match file.try_lock() {
            Ok(()) => Ok(StoreLock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(open(error)),
        }
    }
}

/// Copies the database as it is now into a new file, whole or not at all, while an adjudicator goes on writing it.
///
/// # Errors
///
/// There is no database, the copy is there already, or it cannot be written.
pub async fn back_up(path: &Path, to: &Path) -> Result<Copied, BackupError> {
    if !path.is_file() {
        return Err(BackupError::Missing(path.to_owned()));
    }
    if to.exists() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    let part = with_ending(to, ".part");
    remove_if_there(&part)?;
    let store = Store::open_existing(path).await?;
    let name = part.to_string_lossy().into_owned();
    let copied = sqlx::query("VACUUM INTO $1").bind(name).execute(&store.pool).await;
    store.close().await;
    copied.map_err(StoreError::Statement)?;
    let copied = examine(&part).await?;
    settle(&part, to)?;
    Ok(copied)
}

/// Puts a copy in the place of the database. What was there is kept beside it, under the name that is returned with the content of the
/// copy.
///
/// # Errors
///
/// An adjudicator runs, the copy is damaged, or a file cannot be written; then the database is what it was.
pub async fn restore(
    path: &Path,
    from: &Path,
    now_ms: u64,
) -> Result<(Copied, Option<PathBuf>), BackupError> {
    if !from.is_file() {
        return Err(BackupError::Missing(from.to_owned()));
    }
    let _lock = StoreLock::take(path)?;
    let part = with_ending(path, ".part");
    remove_if_there(&part)?;
    write(&part, fs::copy(from, &part))?;
    // The copy is looked at, never the original: opening a database can change it.
    let copied = match examine(&part).await {
        Ok(copied) => copied,
        Err(error) => {
            remove_if_there(&part)?;
            return Err(match error {
                BackupError::Damaged { found, .. } => {
                    BackupError::Damaged { path: from.to_owned(), found }
                }
                other => other,
            });
        }
    };
    renew(&part).await?;
    let kept = path.is_file().then(|| with_ending(path, &format!(".before-{now_ms}")));
    if let Some(kept) = &kept {
        for ending in COMPANIONS {
            let companion = with_ending(path, ending);
            if companion.is_file() {
                write(&companion, fs::rename(&companion, with_ending(kept, ending)))?;
            }
        }
        write(kept, fs::rename(path, kept))?;
    }
    settle(&part, path)?;
    Ok((copied, kept))
}

/// Makes a copy another log than the one that it was taken of.
async fn renew(part: &Path) -> Result<(), BackupError> {
    let options = SqliteConnectOptions::new().filename(part).busy_timeout(BUSY_TIMEOUT);
    let renewed = async {
        let mut connection = SqliteConnection::connect_with(&options).await?;
        generation::renew(&mut connection).await?;
        // Everything is in the one file then.
        connection.close().await
    };
    Ok(renewed.await.map_err(StoreError::Statement)?)
}

/// Looks whether a file is a whole database with a log.
async fn examine(path: &Path) -> Result<Copied, BackupError> {
    let damaged = |found: String| BackupError::Damaged { path: path.to_owned(), found };
    let options =
        SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(BUSY_TIMEOUT);
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .map_err(|error| damaged(error.to_string()))?;
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check")
        .fetch_one(&mut connection)
        .await
        .map_err(|error| damaged(error.to_string()))?;
    if verdict != "ok" {
        return Err(damaged(verdict));
    }
    let inputs: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM input")
        .fetch_one(&mut connection)
        .await
        .map_err(|_| damaged("it has no log".to_owned()))?;
    connection.close().await.map_err(|error| damaged(error.to_string()))?;
    let bytes = write(path, fs::metadata(path))?.len();
    Ok(Copied { inputs: from_stored(inputs), bytes })
}

/// Gives a file that was written its name, once it is on the disk.
fn settle(part: &Path, to: &Path) -> Result<(), BackupError> {
    write(part, File::open(part).and_then(|file| file.sync_all()))?;
    write(to, fs::rename(part, to))?;
    // The name is on the disk when the folder is.
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    write(to, File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all()))
}

fn remove_if_there(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => write(path, outcome),
    }
}

fn write<T>(path: &Path, outcome: io::Result<T>) -> Result<T, BackupError> {
    outcome.map_err(|source| BackupError::Write { path: path.to_owned(), source })
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{InputKind, NewInput},
        *,
    };

    async fn with_inputs(path: &Path, count: usize) -> Store {
        let store = Store::open(path).await.unwrap();
        for _ in 0..count {
            let input =
                NewInput { kind: InputKind::LinkUp, hub: None, match_id: None, payload: vec![] };
            store.append(1, input).await.unwrap();
        }
        store
    }

    #[tokio::test]
    async fn copy_of_an_open_database_can_be_put_back_and_the_other_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("event.sqlite"), folder.path().join("copy.sqlite"));
        let store = with_inputs(&path, 3).await;
        assert_eq!(back_up(&path, &copy).await.unwrap().inputs, 3);
        assert!(matches!(back_up(&path, &copy).await, Err(BackupError::Exists(_))));
        drop(with_inputs(&path, 2).await);
        let generation = store.generation();
        store.close().await;
        let (copied, kept) = restore(&path, &copy, 77).await.unwrap();
        assert_eq!(copied.inputs, 3);
        let kept = kept.expect("what was there is kept");
        let (put_back, before) =
            (Store::open(&path).await.unwrap(), Store::open(&kept).await.unwrap());
        assert_eq!(put_back.last_id().await.unwrap(), 3);
        assert_eq!(before.last_id().await.unwrap(), 5);
        assert_eq!(before.generation(), generation, "a log stays the same when it is opened again");
        assert_ne!(put_back.generation(), generation, "its numbers are those of another log");
    }

    #[tokio::test]
    async fn damaged_copy_is_refused_and_the_database_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("event.sqlite"), folder.path().join("copy.sqlite"));
        with_inputs(&path, 3).await.close().await;
        for content in [&b"no database"[..], b""] {
            fs::write(&copy, content).unwrap();
            let refused = restore(&path, &copy, 1).await;
            assert!(matches!(refused, Err(BackupError::Damaged { .. })), "{refused:?}");
        }
        back_up(&path, &with_ending(&copy, ".2")).await.unwrap();
        let whole = fs::read(with_ending(&copy, ".2")).unwrap();
        fs::write(&copy, &whole[..whole.len() / 2]).unwrap();
        let refused = restore(&path, &copy, 1).await;
        assert!(matches!(refused, Err(BackupError::Damaged { .. })), "{refused:?}");
        assert_eq!(Store::open(&path).await.unwrap().last_id().await.unwrap(), 3);
        assert!(!with_ending(&path, ".part").exists());
    }

    #[tokio::test]
    async fn nothing_is_put_back_below_a_running_adjudicator() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("event.sqlite"), folder.path().join("copy.sqlite"));
        with_inputs(&path, 1).await.close().await;
        back_up(&path, &copy).await.unwrap();
        let lock = StoreLock::take(&path).unwrap();
        let refused = restore(&path, &copy, 1).await;
        assert!(
            matches!(refused, Err(BackupError::Store(StoreError::InUse { .. }))),
            "{refused:?}"
        );
        drop(lock);
        restore(&path, &copy, 1).await.unwrap();
    }
}
