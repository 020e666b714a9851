//! The hub's journal: nodes' readings and the rows derived from them, on disk before anything is acknowledged or published.
//!
//! One SQLite file. A session's inputs and the rows derived from them are committed in one
//! transaction; only then are nodes acknowledged and rows published. A hub that was killed replays
//! the inputs since a session's last checkpoint through a new session, which is deterministic, and
//! leaves out the rows that are journalled already. A match's inputs are at the same time its
//! evidence: they can be exported as a trace.

mod ballast;
mod copies;
mod damage;
mod error;
mod orders;
mod reader;
mod retention;
mod retries;
mod schema;
mod survey;
mod trace;
mod writer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use database_file::Lock;
use delivery::Note;
use rand::RngExt as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

pub(crate) use ballast::{BALLAST_BYTES, Ballast};
pub use copies::{CopiedJournal, back_up, restore};
pub use damage::Damage;
pub use error::JournalError;
pub use hub_core::journal::{
    Entry, InputLine, MatchRecord, NodeOffset, OutgoingEvent, Recovered, Standing,
};
pub use hub_core::review::{KnownFacts, MatchTrace};
pub use reader::Reader;
pub use survey::{BootSurvey, MatchSurvey, SentRow, Survey};

use crate::HubTime;
use crate::liveness::Heartbeat;
use retries::Retries;
use writer::{COMMANDS_MAX, Command, Writer};

/// Longest wait of SQLite for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Latest time that a boot is named after, microseconds: far enough below what SQLite can hold.
const BOOT_ID_MAX: u64 = i64::MAX as u64 / 2;
/// Bound of the random part of a boot's id: about a second in microseconds.
const BOOT_ID_NOISE: i64 = 1 << 20;

/// Settings of a journal.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// The SQLite file; made when it does not exist.
    pub file: PathBuf,
    /// The hub whose journal it is.
    pub hub_id: String,
    /// Finished matches kept.
    pub keep_matches: u32,
    /// Hub time now: the new boot's id, unless an earlier boot had a later one.
    pub now: HubTime,
    /// The writer's sign of life.
    pub heartbeat: Heartbeat,
}

/// A handle for writing; cheap to clone. The journal closes when the last one is dropped.
#[derive(Clone, Debug)]
pub struct Journal {
    commands: mpsc::Sender<Command>,
    rows_written: watch::Receiver<u64>,
    notes_committed: watch::Receiver<u64>,
    boot_id: u64,
}

/// A journal that was just opened.
#[derive(Debug)]
pub struct Opened {
    /// For writing.
    pub journal: Journal,
    /// For reading.
    pub reader: Reader,
    /// The latest hub time that has passed for any table: the clock must not read earlier.
    pub latest: HubTime,
    /// The damage that was found.
    pub damage: Damage,
    /// The task that writes; ends when the last handle is dropped and everything is committed.
    pub writer: JoinHandle<()>,
}

impl Journal {
    /// Opens (or makes) a journal and starts a new boot in it. On a full disk the ballast is released; without one this waits
    /// for room, and logs it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is in use, or belongs to another hub or layout.
    pub async fn open(options: JournalOptions) -> Result<Opened, JournalError> {
        let mut retries = Retries::default();
        loop {
            match Journal::open_now(&options).await {
                Err(problem @ JournalError::Full { .. }) => {
                    retries.rest(problem, &options.file, &options.heartbeat).await;
                }
                opened => {
                    if opened.is_ok() {
                        retries.over(&options.file, &options.heartbeat);
                    }
                    return opened;
                }
            }
        }
    }

    /// The same, once.
    async fn open_now(options: &JournalOptions) -> Result<Opened, JournalError> {
        let file = &options.file;
        let sql = |source| JournalError::from_sqlx(file, source);
        let lock = lock(file)?;
        database_file::hold_finished(file)?;
        let made = database_file::make_private(file);
        made.map_err(|source| JournalError::from_io(file, source))?;
        // The last run may have ended because its disk failed.
        database_file::write_ahead_log::rewrite(file)
            .await
            .map_err(|source| sql(sqlx::Error::Io(source)))?;
        let mut connection = connect(file).await?;
        prepare(&mut connection, file, &options.hub_id).await?;
        retention::prepare(&mut connection).await.map_err(sql)?;
        let damage = damage::look_through(&mut connection).await.map_err(sql)?;
        let boot_id = begin_boot(&mut connection, options.now).await.map_err(sql)?;
        let latest = latest(&mut connection).await.map_err(sql)?;
        let reader = Reader::open(file).await?;
        let (commands, receiver) = mpsc::channel(COMMANDS_MAX);
        let (rows_sender, rows_written) = watch::channel(0);
        let (noted_sender, notes_committed) = watch::channel(0);
        let writer = Writer {
            file: file.clone(),
            connection: Some(connection),
            tried_after: None,
            boot_id,
            next_sequence: 1,
            keep_matches: options.keep_matches,
            pruned_at: tokio::time::Instant::now(),
            commands: receiver,
            rows_written: rows_sender,
            notes_committed: noted_sender,
            heartbeat: options.heartbeat.clone(),
        };
        let writer = tokio::spawn(async move {
            writer.run().await;
            drop(lock);
        });
        let journal = Journal { commands, rows_written, notes_committed, boot_id };
        Ok(Opened { journal, reader, latest, damage, writer })
    }

    /// Hands over an entry; waits while the writer's queue is full, as it is when the disk is.
    ///
    /// # Errors
    ///
    /// When the writer has stopped.
    pub async fn write(&self, entry: Entry) -> Result<(), JournalError> {
        self.commit(entry, watch::Sender::new(0)).await
    }

    /// The same as [`Self::write`]; `committed` counts one more when the entry is on the disk.
    ///
    /// # Errors
    ///
    /// When the writer has stopped.
    pub async fn commit(
        &self,
        entry: Entry,
        committed: watch::Sender<u64>,
    ) -> Result<(), JournalError> {
        let command = Command::Write(Box::new(entry), committed);
        self.commands.send(command).await.map_err(|_| JournalError::Closed)
    }

    /// Notes which rows the adjudicator has committed, or has lost. False when the writer's queue is full.
    #[must_use]
    pub fn try_note(&self, note: Note) -> bool {
        self.commands.try_send(Command::Note(note)).is_ok()
    }

    /// Number of committed notes; notes are committed in their order.
    #[must_use]
    pub fn notes_committed(&self) -> watch::Receiver<u64> {
        self.notes_committed.clone()
    }

    /// Waits until everything given before is committed.
    ///
    /// # Errors
    ///
    /// When the writer has stopped.
    pub async fn flush(&self) -> Result<(), JournalError> {
        let (done, committed) = oneshot::channel();
        self.commands.send(Command::Flush(done)).await.map_err(|_| JournalError::Closed)?;
        committed.await.map_err(|_| JournalError::Closed)
    }

    /// Changes with every commit that held rows.
    #[must_use]
    pub fn rows_written(&self) -> watch::Receiver<u64> {
        self.rows_written.clone()
    }

    /// Names this run of the hub; its rows count from 1.
    #[must_use]
    pub fn boot_id(&self) -> u64 {
        self.boot_id
    }
}

/// One writer a file.
fn lock(file: &Path) -> Result<Lock, JournalError> {
    let lock = Lock::take(file).map_err(|source| JournalError::from_io(file, source))?;
    lock.ok_or_else(|| JournalError::InUse { file: file.to_owned() })
}

async fn connect(file: &Path) -> Result<SqliteConnection, JournalError> {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .connect()
        .await
        .map_err(|source| JournalError::opening(file, source))
}

/// Makes the tables of a new file; checks those of an old one.
async fn prepare(
    connection: &mut SqliteConnection,
    file: &Path,
    hub_id: &str,
) -> Result<(), JournalError> {
    let sql = |source| JournalError::from_sqlx(file, source);
    let mut layout: i64 =
        sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await.map_err(sql)?;
    while let Some((statements, set_layout)) = schema::migration(layout) {
        migrate(connection, statements, set_layout).await.map_err(sql)?;
        tracing::info!(journal = %file.display(), from = layout, "the journal was brought to the next layout");
        layout += 1;
    }
    match layout {
        0 => create(connection, hub_id).await.map_err(sql)?,
        schema::LAYOUT => {}
        found => {
            return Err(JournalError::OtherLayout {
                file: file.to_owned(),
                found,
                wanted: schema::LAYOUT,
            });
        }
    }
    let found: String =
        sqlx::query_scalar("SELECT hub_id FROM about").fetch_one(connection).await.map_err(sql)?;
    if found == hub_id {
        Ok(())
    } else {
        Err(JournalError::OtherHub { file: file.to_owned(), found, wanted: hub_id.to_owned() })
    }
}

/// Makes the tables of an empty file, or brings those of an earlier layout to the present one.
async fn bring_forward(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let layout: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await?;
    if layout == 0 {
        return schema::make(connection).await;
    }
    let mut layout = layout;
    while let Some((statements, set_layout)) = schema::migration(layout) {
        migrate(connection, statements, set_layout).await?;
        layout += 1;
    }
    Ok(())
}

/// From one layout to the next, as a whole or not at all.
async fn migrate(
    connection: &mut SqliteConnection,
    statements: &[&'static str],
    set_layout: &'static str,
) -> Result<(), sqlx::Error> {
    let mut transaction = sqlx::Connection::begin(connection).await?;
    for &statement in statements {
        sqlx::query(statement).execute(&mut *transaction).await?;
    }
    sqlx::query(set_layout).execute(&mut *transaction).await?;
    transaction.commit().await
}

async fn create(connection: &mut SqliteConnection, hub_id: &str) -> Result<(), sqlx::Error> {
    let mut transaction = sqlx::Connection::begin(connection).await?;
    schema::make(&mut transaction).await?;
    sqlx::query("INSERT INTO about (hub_id) VALUES (?)")
        .bind(hub_id)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

/// Starts a new boot. Its id is the time, or one more than the last boot's, plus a random part. Without that part a journal that
/// was set back, on a machine without a clock, would give rows the ids of other rows, and the adjudicator would
/// take them for rows that it has.
async fn begin_boot(connection: &mut SqliteConnection, now: HubTime) -> Result<u64, sqlx::Error> {
    let now = now.as_micros().clamp(1, BOOT_ID_MAX).cast_signed();
    let noise = rand::rng().random_range(0..BOOT_ID_NOISE);
    let boot_id: i64 = sqlx::query_scalar(
        "INSERT INTO boots (boot_id) SELECT MAX(?, COALESCE(MAX(boot_id) + 1, 1)) + ? FROM boots RETURNING boot_id",
    )
    .bind(now)
    .bind(noise)
    .fetch_one(connection)
    .await?;
    Ok(boot_id.cast_unsigned())
}

/// The latest time that has passed for any table.
async fn latest(connection: &mut SqliteConnection) -> Result<HubTime, sqlx::Error> {
    let latest: i64 = sqlx::query_scalar(
        "SELECT MAX((SELECT COALESCE(MAX(t_us), 0) FROM inputs), (SELECT COALESCE(MAX(reached_us), 0) FROM sessions))",
    )
    .fetch_one(connection)
    .await?;
    Ok(HubTime::from_micros(latest.max(0).cast_unsigned()))
}

#[cfg(test)]
mod copies_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
