//! The log of everything the adjudicator was told: the only thing that has to survive.
//!
//! Rows of hubs, births and deaths of hubs, the state of the line and the passing of deadlines all become
//! numbered inputs. What people see is a function of this log alone, computed by the same code when
//! it is live, delayed or rebuilt after a crash; so an input that was committed is shown, one that was
//! not is sent again by its hub, and none is shown twice. The input's number is also the id of the
//! live events it causes.
//!
//! SQLite in WAL mode with synchronous FULL: a commit is on disk before it is acknowledged. The SQL is
//! kept to what PostgreSQL takes too; it would be given the statements of a group one by one.

mod acts_copy;
mod backup;
mod damage;
mod error;
mod full;
mod generation;
mod group;
mod mending;
mod migrations;
mod quota;
mod ranges;
mod soundness;
mod stored_row;
mod survey;
mod writing;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{PoisonError, atomic::AtomicBool},
    time::Duration,
};

use crate::log::input::{Input, InputKind, NewInput, NewRow, weight};
use acts_copy::ActsCopy;
pub use backup::{StoreLock, back_up, restore};
pub use damage::Damage;
use delivery::{Accepted, Position};
pub use error::StoreError;
use futures::TryStreamExt as _;
use group::Positions;
use quota::Quotas;
use rand::{RngExt as _, distr::Alphanumeric};
use sqlx::{
    AssertSqlSafe, Row as _, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use stored_row::StoredRow;
use survey::{Behind, Boot, LoggedAct};
use tokio::sync::Mutex;

/// Connections to the database that read, whatever they are asked.
const READERS_MAX: u32 = 3;

/// How long a statement waits for another process (an export, a backup) to let go of the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Characters of the name that a database has while it is open.
const ID_LENGTH: usize = 16;

/// Most inputs read in one go.
const READ_LIMIT: u32 = 2000;

/// Nothing more is read in one go after so many bytes of what inputs say: a message is at most a sixteenth of it.
const READ_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Whether there may be more in the log than was read in one go.
#[must_use]
pub fn may_be_more(read: &[Input]) -> bool {
    read.len() >= READ_LIMIT as usize || bytes_of(read) >= READ_BYTES_MAX
}

fn bytes_of(inputs: &[Input]) -> usize {
    inputs.iter().map(|input| input.payload.len()).sum()
}

/// Rows of one boot of a hub.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// The hub's id.
    pub hub: &'a str,
    /// The boot.
    pub boot_id: u64,
    /// The first row of the boot that the hub still has; 0 when it does not say.
    pub first_available: u64,
    /// The rows.
    pub rows: &'a [NewRow],
}

impl Batch<'_> {
    /// Nothing, of the same boot.
    fn without_rows(&self) -> Self {
        Batch { rows: &[], first_available: 0, ..*self }
    }
}

/// The database.
pub struct Store {
    path: PathBuf,
    /// The one connection that writes, and reads what is acknowledged: it waits for no reader.
    writer: SqlitePool,
    readers: SqlitePool,
    /// Names this opening: the file may have been restored from a backup since the last one, and nothing in it would tell.
    id: String,
    /// Names the log; a copy that was put back has another.
    generation: u32,
    /// Held while writing: ids follow the order of commits because there is one writer.
    last_id: Mutex<u64>,
    /// Held while rows are written.
    rows: Mutex<Rows>,
    /// Something could not be committed: it may be in the database all the same, and not on the disk.
    is_unsettled: AtomicBool,
    /// Columns of an input, in the form in which the database is.
    columns: &'static str,
    /// The last input that may be without a checksum.
    unchecked_until: u64,
    /// What is wrong with the log.
    damage: std::sync::Mutex<Damage>,
    /// The last acts beside the log; none where the log is only read, or it cannot be written.
    acts: Mutex<Option<ActsCopy>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What is remembered of the rows in the log.
struct Rows {
    quotas: Quotas,
    positions: Positions,
    /// Boots of which more is in the log than their positions say, because something before it is damaged.
    behind: HashMap<Boot, Behind>,
}

impl Rows {
    /// Damaged rows of these boots whose sequences are committed again are damaged no more; how many they were.
    fn forget_given_again(&mut self, batches: &[Batch<'_>], taken: &[Accepted]) -> u64 {
        if self.behind.is_empty() {
            return 0;
        }
        let mut count = 0;
        for (batch, accepted) in batches.iter().zip(taken) {
            if let Some(behind) = self.behind.get_mut(&(batch.hub.to_owned(), batch.boot_id)) {
                count += accepted.taken().filter_map(|taken| behind.damaged.remove(&taken)).count();
            }
        }
        count as u64
    }
}

impl Store {
    /// Opens the database, making or migrating it as needed.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or was made by a newer version.
    pub async fn open(path: &Path) -> Result<Store, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT);
        database_file::hold_finished(path)?;
        let made = database_file::make_private(path);
        made.map_err(|source| StoreError::Open { path: path.to_owned(), source: source.into() })?;
        // The last run may have ended because its disk failed.
        let rewritten = database_file::write_ahead_log::rewrite(path).await;
        rewritten
            .map_err(|source| StoreError::Open { path: path.to_owned(), source: source.into() })?;
        let writer = connect(path, options.clone(), 1).await?;
        migrations::migrator()
            .run(&writer)
            .await
            .map_err(|source| StoreError::Version { path: path.to_owned(), source })?;
        let mut store = Store::over(path, writer, options).await?;
        if store.generation == 0 {
            store.generation = generation::renew(&mut *store.writer.acquire().await?).await?;
        }
        match store.look_through().await {
            Ok(()) => Ok(store),
            Err(error) => {
                store.close().await;
                Err(error.of(path))
            }
        }
    }

    /// Opens an existing database to read from it, beside a running adjudicator. Nothing in the file is changed, its form neither.
    ///
    /// # Errors
    ///
    /// The file does not exist, is no database, or was made by a newer version.
    pub async fn open_existing(path: &Path) -> Result<Store, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY_TIMEOUT)
            .pragma("query_only", "ON");
        let writer = connect(path, options.clone(), 1).await?;
        migrations::check(&mut *writer.acquire().await?)
            .await
            .map_err(|source| StoreError::Version { path: path.to_owned(), source })?;
        Store::over(path, writer, options).await
    }

    async fn over(
        path: &Path,
        writer: SqlitePool,
        options: SqliteConnectOptions,
    ) -> Result<Store, StoreError> {
        let of = |error: sqlx::Error| StoreError::from(error).of(path);
        let readers = connect(path, options, READERS_MAX).await?;
        let last_id = last_id(&writer).await.map_err(|error| error.of(path))?;
        let mut connection = writer.acquire().await.map_err(of)?;
        let generation = generation::read(&mut connection).await.map_err(of)?;
        let quotas = Quotas::read(&mut connection).await.map_err(of)?;
        let (columns, unchecked_until) = match has_checksums(&mut connection).await.map_err(of)? {
            true => (StoredRow::COLUMNS, unchecked_until(&mut connection).await.map_err(of)?),
            false => (StoredRow::COLUMNS_WITHOUT_CHECKSUM, u64::MAX),
        };
        drop(connection);
        let id = rand::rng().sample_iter(Alphanumeric).take(ID_LENGTH).map(char::from).collect();
        let (positions, behind) = (Positions::default(), HashMap::new());
        let rows = Mutex::new(Rows { quotas, positions, behind });
        Ok(Store {
            path: path.to_owned(),
            writer,
            readers,
            id,
            generation,
            last_id: Mutex::new(last_id),
            rows,
            is_unsettled: AtomicBool::new(false),
            columns,
            unchecked_until,
            damage: std::sync::Mutex::default(),
            acts: Mutex::new(None),
        })
    }

    /// Names the log: the numbers of another one, or of what became of this one before a copy was put back, mean nothing in it.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Names the database as it was opened: another at every start.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Number of the newest committed input; 0 when there is none.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn last_id(&self) -> Result<u64, StoreError> {
        last_id(&self.readers).await
    }

    /// Commits the rows of several messages that are next in their boots, by the rule of [`delivery::accept`]: all or none. Rows that
    /// will never come are noted as lost, as an input of their own. Of a hub that has filled its share ([`HUB_BYTES_MAX`]) nothing is
    /// taken, and nothing of a new boot of a hub that has had [`HUB_BOOTS_MAX`]. Returns what became of each message.
    ///
    /// # Errors
    ///
    /// The database refuses; then nothing of the group is committed.
    pub async fn append_group(
        &self,
        received_ms: u64,
        batches: &[Batch<'_>],
    ) -> Result<Vec<Accepted>, StoreError> {
        let mut last_id = self.last_id.lock().await;
        self.settle(&mut last_id).await?;
        let mut remembered = self.rows.lock().await;
        // A group is small beside a share, and whatever is above in one is known in the next.
        let batches: Vec<Batch<'_>> = batches
            .iter()
            .map(|batch| match remembered.quotas.has_room(batch) {
                true => *batch,
                false => batch.without_rows(),
            })
            .collect();
        let mut writing = self.write().await?;
        let appended =
            group::append(&mut writing, &mut remembered, *last_id, received_ms, &batches).await;
        match self.end(writing, appended).await {
            Ok((taken, id)) => {
                *last_id = id;
                for (batch, accepted) in batches.iter().zip(&taken) {
                    remembered.quotas.add(batch.hub, committed_bytes(batch, accepted));
                }
                let given_again = remembered.forget_given_again(&batches, &taken);
                if given_again > 0 {
                    let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
                    damage.damaged = damage.damaged.saturating_sub(given_again);
                    damage.given_again += given_again;
                }
                Ok(taken)
            }
            Err(error) => {
                remembered.positions = Positions::default();
                Err(error)
            }
        }
    }

    /// Commits a birth or will of a hub. Returns whether there was room for it.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn append_state(
        &self,
        received_ms: u64,
        hub: &str,
        payload: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let bytes = weight(&payload);
        if !self.rows.lock().await.quotas.has_room_for_state(hub, &payload) {
            return Ok(false);
        }
        let (kind, of_hub) = (InputKind::HubState, Some(hub.to_owned()));
        let input = NewInput { kind, hub: of_hub, match_id: None, payload };
        self.append(received_ms, input).await?;
        self.rows.lock().await.quotas.add(hub, bytes);
        Ok(true)
    }

    /// Commits an input that is no hub's and returns its number.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn append(&self, received_ms: u64, input: NewInput) -> Result<u64, StoreError> {
        let mut last_id = self.last_id.lock().await;
        self.settle(&mut last_id).await?;
        let id = *last_id + 1;
        let act = (input.kind == InputKind::Act).then(|| LoggedAct {
            id,
            received_ms,
            match_id: input.match_id.clone(),
            payload: input.payload.clone(),
        });
        let row = StoredRow {
            id,
            received_ms,
            kind: input.kind.name().to_owned(),
            hub: input.hub,
            match_id: input.match_id,
            payload: input.payload,
            ..StoredRow::default()
        };
        let mut writing = self.write().await?;
        let inserted = insert_row(&mut writing, &row).await;
        self.end(writing, inserted).await?;
        *last_id = id;
        if let Some(act) = act {
            self.copy_act(act).await;
        }
        Ok(id)
    }

    /// Inputs after `after`, oldest first: some thousands or some megabytes. [`may_be_more`] says whether that may not be all.
    ///
    /// # Errors
    ///
    /// The database refuses, or holds an input that this version does not know.
    pub async fn read(&self, after: u64) -> Result<Vec<Input>, StoreError> {
        let query =
            format!("SELECT {} FROM input WHERE id > $1 ORDER BY id LIMIT $2", self.columns);
        let mut rows = sqlx::query(AssertSqlSafe(query))
            .bind(to_stored(after))
            .bind(i64::from(READ_LIMIT))
            .fetch(&self.readers);
        let (mut inputs, mut bytes) = (Vec::new(), 0);
        while bytes < READ_BYTES_MAX {
            let row =
                rows.try_next().await.map_err(|error| StoreError::from(error).of(&self.path))?;
            let Some(row) = row else { break };
            let input = StoredRow::read(&row, self.unchecked_until).input()?;
            bytes += input.payload.len();
            inputs.push(input);
        }
        Ok(inputs)
    }

    /// Up to which sequence the rows of a boot are committed; 0 for none.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn position(&self, hub: &str, boot_id: u64) -> Result<u64, StoreError> {
        self.settle(&mut *self.last_id.lock().await).await?;
        Ok(position(&mut *self.writer.acquire().await?, hub, boot_id).await?)
    }

    /// The position of every hub's latest boot: what its retained acknowledgement says.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn latest_positions(&self) -> Result<Vec<Position>, StoreError> {
        self.settle(&mut *self.last_id.lock().await).await?;
        let rows = sqlx::query(
            // Sorted once, whatever the number of boots.
            "SELECT hub, boot_id, sequence FROM (SELECT hub, boot_id, sequence, ROW_NUMBER() OVER \
             (PARTITION BY hub ORDER BY seen_ms DESC, boot_id DESC) AS place FROM hub_position) AS ranked \
             WHERE place = 1 ORDER BY hub",
        )
        .fetch_all(&self.writer)
        .await?;
        let position = |row: &sqlx::sqlite::SqliteRow| {
            Ok(Position {
                hub: row.try_get("hub")?,
                boot_id: from_stored(row.try_get("boot_id")?),
                sequence: from_stored(row.try_get("sequence")?),
            })
        };
        rows.iter().map(position).collect::<Result<_, sqlx::Error>>().map_err(StoreError::Statement)
    }

    /// How much of its share a hub has filled, bytes.
    #[cfg(test)]
    async fn written(&self, hub: &str) -> u64 {
        self.rows.lock().await.quotas.bytes(hub)
    }

    /// Closes the database, so that everything is in the main file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// So many connections to a database at the most.
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
        .map_err(|source| StoreError::Open { path: path.to_owned(), source })
}

/// What a message that was committed counts.
fn committed_bytes(batch: &Batch<'_>, accepted: &Accepted) -> u64 {
    let rows = batch.rows.iter().skip(accepted.duplicates).take(accepted.accepted);
    let lost = accepted.lost.map_or(0, |_| quota::weight_of_loss());
    rows.map(|row| weight(&row.payload)).sum::<u64>() + lost
}

/// Up to which sequence the rows of a boot are in the log; 0 for none.
async fn position(
    connection: &mut SqliteConnection,
    hub: &str,
    boot_id: u64,
) -> Result<u64, sqlx::Error> {
    let sequence: Option<i64> =
        sqlx::query_scalar("SELECT sequence FROM hub_position WHERE hub = $1 AND boot_id = $2")
            .bind(hub)
            .bind(to_stored(boot_id))
            .fetch_optional(connection)
            .await?;
    Ok(sequence.map_or(0, from_stored))
}

/// Puts an input into the log.
async fn insert_row(connection: &mut SqliteConnection, row: &StoredRow) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO input (id, received_ms, kind, hub, match_id, payload, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(to_stored(row.id))
    .bind(to_stored(row.received_ms))
    .bind(&row.kind)
    .bind(&row.hub)
    .bind(&row.match_id)
    .bind(&row.payload)
    .bind(row.checksum())
    .execute(connection)
    .await?;
    Ok(())
}

/// Whether inputs have checksums: a database of an earlier release that is only read has none.
async fn has_checksums(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let column = "SELECT COUNT(*) FROM pragma_table_info('input') WHERE name = 'checksum'";
    let count: i64 = sqlx::query_scalar(column).fetch_one(connection).await?;
    Ok(count > 0)
}

/// The last input that may be without a checksum: it was there before there were any.
async fn unchecked_until(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let until = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'unchecked_until'");
    let until: Option<String> = until.fetch_optional(connection).await?;
    Ok(until.and_then(|until| until.parse().ok()).unwrap_or(0))
}

async fn last_id(pool: &SqlitePool) -> Result<u64, StoreError> {
    let id: Option<i64> = sqlx::query_scalar("SELECT MAX(id) FROM input").fetch_one(pool).await?;
    Ok(id.map_or(0, from_stored))
}

/// Databases have signed integers; boot ids use all 64 bits. The bits are kept.
fn to_stored(value: u64) -> i64 {
    value.cast_signed()
}

fn from_stored(value: i64) -> u64 {
    value.cast_unsigned()
}

#[cfg(test)]
mod backup_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod limits_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
