//! The log in a SQLite file: one program, no server to install.
//!
//! WAL mode with synchronous FULL: a commit is on disk before it is acknowledged. An epoch, one more at each opening, keeps a program
//! that has the file open without its lock from writing.

mod acts_copy;
mod backup;
mod commit;
mod file;
mod full;
mod generation;
mod writing;

use std::{
    path::{Path, PathBuf},
    sync::PoisonError,
    time::Duration,
};

use acts_copy::ActsCopy;
use async_trait::async_trait;
pub use backup::{StoreLock, back_up, restore};
use futures::TryStreamExt as _;
use sqlx::{
    AssertSqlSafe, Row as _, SqliteConnection, SqlitePool,
    query::Query,
    sqlite::{
        SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow,
        SqliteSynchronous,
    },
};
use tokio::sync::Mutex;

use super::{
    StoreError,
    group::Group,
    mending::Mend,
    migrations,
    shard_log::{
        BootPosition, Filled, Filling, Inspected, Placed, READ_BYTES_MAX, READ_LIMIT, ShardLog,
    },
    stored_row::{Read, StoredRow, from_stored, to_stored},
    survey::{Boot, LoggedAct},
};

/// Connections to the database that read, whatever they are asked.
const READERS_MAX: u32 = 3;

/// Time that a statement waits for another process (an export, a backup) to let go of the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// All columns of an input.
const COLUMNS: &str =
    "id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum";

/// The same of a database of a release that wrote no checksums.
const COLUMNS_WITHOUT_CHECKSUM: &str = "id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, NULL AS checksum";

/// The database.
#[derive(Debug)]
pub(super) struct Sqlite {
    path: PathBuf,
    /// The one connection that writes, and reads what is acknowledged: it waits for no reader.
    writer: SqlitePool,
    readers: SqlitePool,
    generation: u32,
    /// The one in which this opening writes; none for one that reads.
    epoch: u64,
    /// Columns of an input, in the form in which the database is.
    columns: &'static str,
    unchecked_until: u64,
    /// The last acts beside the log; none where the log is only read, or it cannot be written.
    acts: Mutex<Option<ActsCopy>>,
    acts_fail: std::sync::Mutex<Option<String>>,
}

impl Sqlite {
    /// Opens the database to be written, making or migrating it as needed.
    pub(super) async fn open(path: &Path) -> Result<Sqlite, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT);
        database_file::hold_finished(path)?;
        let made = database_file::make_private(path);
        made.map_err(|source| StoreError::Open { place: path.into(), source: source.into() })?;
        // The last run may have ended because its disk failed.
        let rewritten = database_file::write_ahead_log::rewrite(path).await;
        rewritten
            .map_err(|source| StoreError::Open { place: path.into(), source: source.into() })?;
        let writer = connect(path, options.clone(), 1).await?;
        migrations::of_sqlite()
            .run(&writer)
            .await
            .map_err(|source| StoreError::Version { place: path.into(), source })?;
        let mut sqlite = Sqlite::over(path, writer, options).await?;
        let taken = sqlite.take().await;
        if let Err(error) = taken {
            sqlite.close().await;
            return Err(StoreError::from(error).of(path));
        }
        Ok(sqlite)
    }

    /// Opens an existing database to be read.
    pub(super) async fn open_existing(path: &Path) -> Result<Sqlite, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY_TIMEOUT)
            .pragma("query_only", "ON");
        let writer = connect(path, options.clone(), 1).await?;
        migrations::check(&mut *writer.acquire().await?, &migrations::of_sqlite())
            .await
            .map_err(|source| StoreError::Version { place: path.into(), source })?;
        Sqlite::over(path, writer, options).await
    }

    async fn over(
        path: &Path,
        writer: SqlitePool,
        options: SqliteConnectOptions,
    ) -> Result<Sqlite, StoreError> {
        let of = |error: sqlx::Error| StoreError::from(error).of(path);
        let readers = connect(path, options, READERS_MAX).await?;
        let mut connection = writer.acquire().await.map_err(of)?;
        let generation = generation::read(&mut connection).await.map_err(of)?;
        let (columns, unchecked_until) = match has_checksums(&mut connection).await.map_err(of)? {
            true => (COLUMNS, meta(&mut connection, "unchecked_until").await.map_err(of)?),
            false => (COLUMNS_WITHOUT_CHECKSUM, u64::MAX),
        };
        drop(connection);
        Ok(Sqlite {
            path: path.to_owned(),
            writer,
            readers,
            generation,
            epoch: 0,
            columns,
            unchecked_until,
            acts: Mutex::default(),
            acts_fail: std::sync::Mutex::default(),
        })
    }

    /// Gives the log its number, if it has none, and takes it over from any other owner.
    async fn take(&mut self) -> Result<(), sqlx::Error> {
        let mut connection = self.writer.acquire().await?;
        if self.generation == 0 {
            self.generation = generation::renew(&mut connection).await?;
        }
        let raise = "INSERT INTO meta (name, value) VALUES ('epoch', '1') \
                     ON CONFLICT (name) DO UPDATE SET value = CAST(meta.value AS INTEGER) + 1";
        sqlx::query(raise).execute(&mut *connection).await?;
        self.epoch = meta(&mut connection, "epoch").await?;
        Ok(())
    }

    async fn last_id_by(&self, pool: &SqlitePool) -> Result<u64, StoreError> {
        let id = sqlx::query_scalar("SELECT MAX(id) FROM input").fetch_one(pool).await;
        let id: Option<i64> = id.map_err(|error| StoreError::from(error).of(&self.path))?;
        Ok(id.map_or(0, from_stored))
    }

    /// Rows of a query: some thousands or some megabytes.
    async fn page<T>(
        &self,
        query: Query<'_, sqlx::Sqlite, SqliteArguments>,
        row: impl Fn(&SqliteRow) -> Result<(T, usize), sqlx::Error>,
    ) -> Result<Vec<T>, StoreError> {
        let of = |error: sqlx::Error| StoreError::from(error).of(&self.path);
        let mut rows = query.fetch(&self.readers);
        let (mut page, mut bytes) = (Vec::new(), 0);
        while bytes < READ_BYTES_MAX {
            let Some(found) = rows.try_next().await.map_err(of)? else { break };
            let (found, its_bytes) = row(&found)?;
            bytes += its_bytes;
            page.push(found);
        }
        Ok(page)
    }

    /// Writes an act that is in the log a second time, so that it is not gone with the end of the log.
    async fn copy_act(&self, act: LoggedAct) {
        let mut open = self.acts.lock().await;
        let Some(mut copy) = open.take() else { return };
        let (path, generation) = (self.path.clone(), self.generation);
        let written = tokio::task::spawn_blocking(move || {
            if copy.is_full() {
                copy = ActsCopy::begin(&path, generation, std::iter::empty())?;
            }
            copy.add(&act)?;
            Ok(copy)
        });
        *open = self.noted(written.await.map_err(std::io::Error::other).flatten());
    }

    /// The copy of the last acts, if it could be written.
    fn noted(&self, copy: std::io::Result<ActsCopy>) -> Option<ActsCopy> {
        if let Err(error) = &copy {
            tracing::error!(%error, "the copy of the last acts beside the database cannot be written");
            let mut fails = self.acts_fail.lock().unwrap_or_else(PoisonError::into_inner);
            *fails = Some(error.to_string());
        }
        copy.ok()
    }
}

#[async_trait]
impl ShardLog for Sqlite {
    fn generation(&self) -> u32 {
        self.generation
    }

    fn unchecked_until(&self) -> u64 {
        self.unchecked_until
    }

    fn copy_fails(&self) -> Option<String> {
        self.acts_fail.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn last_id(&self) -> Result<u64, StoreError> {
        self.last_id_by(&self.readers).await
    }

    async fn settle(&self) -> Result<u64, StoreError> {
        database_file::write_ahead_log::rewrite(&self.path).await.map_err(sqlx::Error::Io)?;
        self.last_id_by(&self.writer).await
    }

    async fn commit(&self, group: &Group) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let committed = commit::commit(&mut writing, self.epoch, group).await;
        if let Err(error) = self.end(writing, committed).await {
            return Err(self.named(error).await);
        }
        for act in group.inputs.iter().filter_map(LoggedAct::of) {
            self.copy_act(act).await;
        }
        Ok(())
    }

    async fn position(&self, (hub, boot_id): &Boot) -> Result<u64, StoreError> {
        let sequence: Option<i64> =
            sqlx::query_scalar("SELECT sequence FROM hub_position WHERE hub = $1 AND boot_id = $2")
                .bind(hub)
                .bind(to_stored(*boot_id))
                .fetch_optional(&self.writer)
                .await?;
        Ok(sequence.map_or(0, from_stored))
    }

    async fn positions(&self) -> Result<Vec<BootPosition>, StoreError> {
        let rows = sqlx::query("SELECT hub, boot_id, sequence, seen_ms FROM hub_position");
        let rows = rows.fetch_all(&self.writer).await;
        let rows = rows.map_err(|error| StoreError::from(error).of(&self.path))?;
        let position = |row: &SqliteRow| {
            Some(BootPosition {
                boot: (row.try_get("hub").ok()?, from_stored(row.try_get("boot_id").ok()?)),
                sequence: from_stored(row.try_get("sequence").ok()?),
                seen_ms: from_stored(row.try_get("seen_ms").ok()?),
            })
        };
        Ok(rows.iter().filter_map(position).collect())
    }

    async fn filled(&self) -> Result<Vec<Filled>, StoreError> {
        let inputs = sqlx::query(
            "SELECT hub, SUM(LENGTH(payload)) AS bytes, COUNT(*) AS inputs FROM input \
             WHERE kind IN ('row', 'hub-state', 'rows-lost') AND hub IS NOT NULL GROUP BY hub",
        );
        let rows = inputs.fetch_all(&self.writer).await;
        let rows = rows.map_err(|error| StoreError::from(error).of(&self.path))?;
        let filled = |row: &SqliteRow| {
            Ok(Filled {
                hub: row.try_get("hub")?,
                bytes: from_stored(row.try_get("bytes")?),
                inputs: from_stored(row.try_get("inputs")?),
            })
        };
        rows.iter().map(filled).collect::<Result<_, sqlx::Error>>().map_err(StoreError::Statement)
    }

    async fn read(&self, after: u64, limit: u32) -> Result<Vec<Read>, StoreError> {
        let query =
            format!("SELECT {} FROM input WHERE id > $1 ORDER BY id LIMIT $2", self.columns);
        let query = sqlx::query(AssertSqlSafe(query));
        let query = query.bind(to_stored(after)).bind(i64::from(limit));
        self.page(query, |row| {
            let read = stored(row, self.unchecked_until);
            let bytes = read.row().payload.len();
            Ok((read, bytes))
        })
        .await
    }

    async fn scan(&self, after: i64) -> Result<Vec<Placed>, StoreError> {
        // In the order in which they were written, and as the table has them: an index may be damaged, too.
        let query = format!(
            "SELECT rowid AS place, {} FROM input NOT INDEXED WHERE rowid > $1 ORDER BY rowid LIMIT $2",
            self.columns
        );
        let query = sqlx::query(AssertSqlSafe(query)).bind(after).bind(i64::from(READ_LIMIT));
        self.page(query, |row| {
            let read = stored(row, self.unchecked_until);
            let bytes = read.row().payload.len();
            Ok(((row.try_get("place")?, read), bytes))
        })
        .await
    }

    async fn inspect(&self) -> Result<Inspected, StoreError> {
        self.look_beside().await
    }

    async fn mend(&self, mend: &Mend) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let mended = commit::mend(&mut writing, mend).await;
        self.end(writing, mended).await
    }

    async fn begin_acts(&self, acts: Vec<LoggedAct>) {
        let copy = ActsCopy::begin(&self.path, self.generation, acts.iter());
        *self.acts.lock().await = self.noted(copy);
    }

    async fn fill(&self, from: &mut Filling<'_>) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let filled = commit::fill(&mut writing, from).await;
        match filled {
            Ok(()) => self.end(writing, Ok(())).await,
            Err(error) => Err(error),
        }
    }

    async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Maximum number of connections to a database.
async fn connect(
    path: &Path,
    options: SqliteConnectOptions,
    connections: u32,
) -> Result<SqlitePool, StoreError> {
    SqlitePoolOptions::new()
        .max_connections(connections)
        // A file does not hang up, and asking whether it has is a turn of its thread.
        .test_before_acquire(false)
        .connect_with(options)
        .await
        .map_err(|source| StoreError::Open { place: path.into(), source })
}

/// Reads an input, as far as it can be read.
fn stored(row: &SqliteRow, unchecked_until: u64) -> Read {
    let mut found = StoredRow::default();
    let is_read = fill(&mut found, row).is_ok();
    Read::of(found, is_read, row.try_get("checksum").ok(), unchecked_until)
}

fn fill(found: &mut StoredRow, row: &SqliteRow) -> Result<(), sqlx::Error> {
    found.id = from_stored(row.try_get("id")?);
    found.received_ms = from_stored(row.try_get("received_ms")?);
    found.kind = row.try_get("kind")?;
    found.hub = row.try_get("hub")?;
    found.boot_id = row.try_get::<Option<i64>, _>("boot_id")?.map(from_stored);
    found.sequence = row.try_get::<Option<i64>, _>("sequence")?.map(from_stored);
    found.table = row.try_get("table_name")?;
    found.match_id = row.try_get("match_id")?;
    found.payload = row.try_get("payload")?;
    Ok(())
}

/// Whether inputs have checksums: a database of an earlier release that is only read has none.
async fn has_checksums(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let column = "SELECT COUNT(*) FROM pragma_table_info('input') WHERE name = 'checksum'";
    let count: i64 = sqlx::query_scalar(column).fetch_one(connection).await?;
    Ok(count > 0)
}

/// A number that is kept beside the inputs; 0 for one that is not, or cannot be read.
async fn meta(connection: &mut SqliteConnection, name: &str) -> Result<u64, sqlx::Error> {
    let value = sqlx::query_scalar("SELECT CAST(value AS TEXT) FROM meta WHERE name = $1");
    let value: Option<String> = value.bind(name).fetch_optional(connection).await?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(0))
}

#[cfg(test)]
mod backup_tests;
#[cfg(test)]
mod form_tests;
