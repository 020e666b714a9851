//! The task that writes: it gathers entries for a moment, commits them in one transaction, and only
//! then tells tables and uplink.

use std::path::PathBuf;
use std::time::Duration;

use database_file::Checksum;
use delivery::Note;
use hub_core::journal::number_rows;
use prost::Message as _;
use proto::link::ResumePoint;
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};

use super::retries::Retries;
use super::{Ballast, Entry, JournalError, damage, orders, retention};
use crate::liveness::Heartbeat;

/// Shortest time from one commit to the next: entries that come meanwhile are committed together, and an entry after a pause at once.
const BATCH_TIME: Duration = Duration::from_millis(40);
/// The same when there are rows to commit, which the adjudicator waits for: the rows of one decision come together. The reading that made them
/// has just been committed, so every ply waits for this. Each table has a few rows in a second, many fewer than readings.
const ROWS_BATCH_TIME: Duration = Duration::from_millis(2);
/// Maximum number of commands in one transaction.
const BATCH_COMMANDS_MAX: usize = 256;
/// Maximum number of commands that wait for the writer; beyond it, senders wait too.
pub(super) const COMMANDS_MAX: usize = 256;
/// Longest silence of an idle writer.
const IDLE: Duration = Duration::from_secs(1);

/// A command to the writer.
#[derive(Debug)]
pub(super) enum Command {
    /// And who counts it when it is committed.
    Write(Box<Entry>, watch::Sender<u64>),
    /// Rows that the adjudicator has.
    Note(Note),
    /// Answer when all that was asked before is committed.
    Flush(oneshot::Sender<()>),
}

impl Command {
    /// Whether it has rows for the adjudicator.
    fn has_rows(&self) -> bool {
        matches!(self, Command::Write(entry, _) if !entry.rows.is_empty() || !entry.answers.is_empty())
    }
}

/// The last input and the last row that were ever written.
pub(super) type Reached = (i64, i64);

pub(super) struct Writer {
    pub(super) file: PathBuf,
    /// None after a failure: on a connection on which a commit or its rolling back has failed, a transaction may stay open, and what
    /// is committed within it is not on the disk.
    pub(super) connection: Option<SqliteConnection>,
    /// The state before a batch whose commit failed: the batch may have been committed all the same.
    pub(super) tried_after: Option<Reached>,
    pub(super) boot_id: u64,
    /// Sequence of the next row of this boot.
    pub(super) next_sequence: u64,
    pub(super) keep_matches: u32,
    /// Time of the last pruning.
    pub(super) pruned_at: Instant,
    pub(super) commands: mpsc::Receiver<Command>,
    /// Counts commits with rows, so that the uplink looks for them.
    pub(super) rows_written: watch::Sender<u64>,
    /// Counts the notes that were committed.
    pub(super) notes_committed: watch::Sender<u64>,
    pub(super) heartbeat: Heartbeat,
}

impl Writer {
    /// Writes until all senders are dropped and everything is committed, or the journal's last handle
    /// is dropped while the disk refuses.
    pub(super) async fn run(mut self) {
        let mut committed = None;
        while let Some(batch) = self.gather(committed).await {
            committed = Some(Instant::now());
            if !self.commit_with_retries(&batch).await {
                return;
            }
            self.tell(batch);
        }
        if let Some(connection) = self.connection
            && let Err(error) = end(connection).await
        {
            warn!(%error, "closing the journal");
        }
    }

    /// The next commands, at least one, some time after the last batch was `committed`; none when all senders are dropped.
    async fn gather(&mut self, committed: Option<Instant>) -> Option<Vec<Command>> {
        let first = loop {
            self.heartbeat.beat();
            match tokio::time::timeout(IDLE, self.commands.recv()).await {
                Ok(command) => break command?,
                Err(_) => continue,
            }
        };
        let mut is_awaited = first.has_rows();
        let mut batch = vec![first];
        while batch.len() < BATCH_COMMANDS_MAX && !matches!(batch.last(), Some(Command::Flush(_))) {
            let rest = if is_awaited { ROWS_BATCH_TIME } else { BATCH_TIME };
            let rested = committed.map_or_else(Instant::now, |at| at + rest);
            // Commands that wait already are added even when the time is over.
            match timeout_at(rested, self.commands.recv()).await {
                Ok(Some(command)) => {
                    is_awaited |= command.has_rows();
                    batch.push(command);
                }
                Ok(None) | Err(_) => break,
            }
        }
        Some(batch)
    }

    /// Tries until the batch is committed. Meanwhile commands wait in their bounded queue, nodes get
    /// no acknowledgement and keep their events. False when everybody has gone.
    async fn commit_with_retries(&mut self, batch: &[Command]) -> bool {
        let mut retries = Retries::default();
        loop {
            self.heartbeat.beat();
            match self.commit(batch).await {
                Ok(()) => {
                    retries.over(&self.file, &self.heartbeat);
                    return true;
                }
                Err(problem) => {
                    retries.report(&problem, &self.heartbeat);
                    if matches!(problem, JournalError::Full { .. }) {
                        if Ballast::beside(&self.file).give_up() {
                            continue;
                        }
                        self.free_space().await;
                    }
                }
            }
            if self.commands.is_closed() && self.commands.is_empty() {
                error!(journal = %self.file.display(), "stopping with readings not journalled; the nodes still hold them");
                return false;
            }
            retries.pause().await;
        }
    }

    /// The connection, opened again after a failure. The caller returns it after a success.
    async fn take_connection(&mut self) -> Result<SqliteConnection, JournalError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        self.rewrite_log().await?;
        super::connect(&self.file).await
    }

    /// After a failure: before anything is read from the log or written behind it.
    async fn rewrite_log(&self) -> Result<(), JournalError> {
        let rewritten = database_file::write_ahead_log::rewrite(&self.file).await;
        rewritten.map_err(|source| JournalError::from_sqlx(&self.file, sqlx::Error::Io(source)))
    }

    async fn commit(&mut self, batch: &[Command]) -> Result<(), JournalError> {
        let mut connection = self.take_connection().await?;
        match self.commit_on(&mut connection, batch).await {
            Ok(next_sequence) => self.next_sequence = next_sequence,
            Err(source) => {
                // Now, if it can be done now: the last connection that closes carries the log over into the main file.
                drop(self.rewrite_log().await);
                return Err(JournalError::from_sqlx(&self.file, source));
            }
        }
        self.connection = Some(connection);
        self.tried_after = None;
        Ok(())
    }

    /// Commits a batch; the sequence of the next row after it.
    async fn commit_on(
        &mut self,
        connection: &mut SqliteConnection,
        batch: &[Command],
    ) -> Result<u64, sqlx::Error> {
        let mut next_sequence = self.next_sequence;
        let mut transaction = connection.begin().await?;
        let reached = reached(&mut transaction).await?;
        if *self.tried_after.get_or_insert(reached) != reached {
            // All of it was written when its sync failed. Without inputs and rows it would be the same written twice.
            for command in batch {
                if let Command::Write(entry, _) = command {
                    number_rows(entry, &mut next_sequence, |_| ());
                }
            }
            return Ok(next_sequence);
        }
        for command in batch {
            match command {
                Command::Write(entry, _) => {
                    write(&mut transaction, entry, self.boot_id, &mut next_sequence).await?;
                }
                Command::Note(Note::Acknowledged { boot_id, sequence }) => {
                    acknowledge(&mut transaction, *boot_id, *sequence).await?;
                }
                Command::Note(Note::GivenBack { boot_id, sequence }) => {
                    give_back(&mut transaction, *boot_id, *sequence).await?;
                }
                Command::Flush(_) => {}
            }
        }
        let ended = |command: &Command| match command {
            Command::Write(entry, _) => entry.matches.iter().any(|(_, record)| record.ended),
            _ => false,
        };
        if batch.iter().any(ended) || self.pruned_at.elapsed() >= retention::PRUNE_EVERY {
            self.pruned_at = Instant::now();
            retention::prune(
                &mut transaction,
                self.keep_matches,
                retention::ACKNOWLEDGED_ROWS_KEPT,
            )
            .await?;
        }
        transaction.commit().await?;
        Ok(next_sequence)
    }

    /// Deletes acknowledged rows because the disk is full.
    async fn free_space(&mut self) {
        let Ok(mut connection) = self.take_connection().await else { return };
        let freed = async {
            let mut transaction = connection.begin().await?;
            retention::prune(&mut transaction, self.keep_matches, 0).await?;
            transaction.commit().await
        };
        match freed.await {
            Ok(()) => self.connection = Some(connection),
            Err(error) => tracing::debug!(%error, "cannot free space in the journal"),
        }
    }

    fn tell(&self, batch: Vec<Command>) {
        let (mut rows, mut notes) = (false, 0);
        for command in batch {
            rows |= command.has_rows();
            match command {
                Command::Write(_, committed) => {
                    committed.send_modify(|count| *count += 1);
                }
                Command::Note(_) => notes += 1,
                // The caller may have stopped waiting.
                Command::Flush(done) => drop(done.send(())),
            }
        }
        if rows {
            self.rows_written.send_modify(|count| *count += 1);
        }
        if notes > 0 {
            self.notes_committed.send_modify(|count| *count += notes);
        }
    }
}

/// Numbers that were ever written: none is used twice.
async fn reached(connection: &mut SqliteConnection) -> Result<Reached, sqlx::Error> {
    sqlx::query_as(
        "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'inputs'), 0),
            COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'outgoing'), 0)",
    )
    .fetch_one(connection)
    .await
}

async fn write(
    connection: &mut SqliteConnection,
    entry: &Entry,
    boot_id: u64,
    next_sequence: &mut u64,
) -> Result<(), sqlx::Error> {
    let last_inputs = write_inputs(connection, entry).await?;
    let rows = number_rows(entry, next_sequence, |problem| {
        error!(
            table = entry.table,
            "a row that no adjudicator takes is left out ({problem}): report this with the hub's journal"
        );
    });
    for row in rows {
        let (boot_id, sequence) = (boot_id.cast_signed(), row.sequence.cast_signed());
        let body = row.encode_to_vec();
        let checksum =
            Checksum::default().number(boot_id).number(sequence).bytes(body.as_slice()).value();
        sqlx::query("INSERT INTO outgoing (boot_id, sequence, body, checksum) VALUES (?, ?, ?, ?)")
            .bind(boot_id)
            .bind(sequence)
            .bind(body)
            .bind(checksum)
            .execute(&mut *connection)
            .await?;
    }
    write_matches(connection, entry, &last_inputs).await?;
    write_session(connection, entry).await?;
    for order in &entry.orders {
        orders::write(connection, &entry.table, order).await?;
    }
    for offset in &entry.offsets {
        let ResumePoint { boot_id, sequence } = offset.reached;
        sqlx::query(
            "INSERT INTO nodes (node_id, boot_id, sequence) VALUES (?, ?, ?)
             ON CONFLICT (node_id) DO UPDATE SET boot_id = excluded.boot_id, sequence =
                CASE WHEN boot_id = excluded.boot_id THEN MAX(sequence, excluded.sequence) ELSE excluded.sequence END",
        )
        .bind(&offset.node_id)
        .bind(boot_id)
        .bind(sequence)
        .execute(&mut *connection)
        .await?;
        damage::stamp(connection, damage::NODES, offset.node_id.as_str()).await?;
    }
    Ok(())
}

/// Returns the id of the last input before the entry, and of each of its inputs.
async fn write_inputs(
    connection: &mut SqliteConnection,
    entry: &Entry,
) -> Result<Vec<i64>, sqlx::Error> {
    let mut ids = vec![
        sqlx::query_scalar("SELECT COALESCE(MAX(input_id), 0) FROM inputs")
            .fetch_one(&mut *connection)
            .await?,
    ];
    for input in &entry.inputs {
        let (at_us, made_us) =
            (input.at.as_micros().cast_signed(), input.made.as_micros().cast_signed());
        let checksum = Checksum::default()
            .text(entry.table.as_str())
            .text(input.match_id.as_deref())
            .number(at_us)
            .number(made_us)
            .text(input.line.as_str());
        let done = sqlx::query(
            "INSERT INTO inputs (table_name, match_id, t_us, made_us, line, checksum) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(&entry.table)
        .bind(&input.match_id)
        .bind(at_us)
        .bind(made_us)
        .bind(&input.line)
        .bind(checksum.value())
        .execute(&mut *connection)
        .await?;
        ids.push(done.last_insert_rowid());
    }
    Ok(ids)
}

async fn write_matches(
    connection: &mut SqliteConnection,
    entry: &Entry,
    last_inputs: &[i64],
) -> Result<(), sqlx::Error> {
    for (before, record) in &entry.matches {
        let first_input = last_inputs.get(*before).or(last_inputs.last()).copied().unwrap_or(0);
        sqlx::query(
            "INSERT INTO matches (match_id, table_name, opened_us, header, prologue, first_input, ended)
             VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (match_id) DO UPDATE SET ended = excluded.ended, first_input =
                CASE WHEN prologue = excluded.prologue THEN first_input ELSE excluded.first_input END,
                prologue = excluded.prologue",
        )
        .bind(&record.match_id)
        .bind(&entry.table)
        .bind(record.opened.as_micros().cast_signed())
        .bind(&record.header)
        .bind(&record.prologue)
        .bind(first_input)
        .bind(record.ended)
        .execute(&mut *connection)
        .await?;
        damage::stamp(connection, damage::MATCHES, record.match_id.as_str()).await?;
    }
    Ok(())
}

/// Counts the outputs since the checkpoint, so that a replay knows which ones are journalled.
async fn write_session(
    connection: &mut SqliteConnection,
    entry: &Entry,
) -> Result<(), sqlx::Error> {
    let reached_us = entry.reached.as_micros().min(i64::MAX as u64).cast_signed();
    if let Some(checkpoint) = &entry.checkpoint {
        sqlx::query(
            "INSERT INTO sessions (table_name, checkpoint, input_id, outputs, reached_us, said_by)
             VALUES (?1, ?2, (SELECT COALESCE(MAX(input_id), 0) FROM inputs WHERE table_name = ?1), 0, ?3, ?4)
             ON CONFLICT (table_name) DO UPDATE SET checkpoint = excluded.checkpoint,
                input_id = MAX(input_id, excluded.input_id), outputs = 0,
                reached_us = MAX(reached_us, excluded.reached_us), said_by = excluded.said_by",
        )
        .bind(&entry.table)
        .bind(checkpoint)
        .bind(reached_us)
        .bind(&entry.said_by)
        .execute(&mut *connection)
        .await?;
    } else if !entry.rows.is_empty() {
        sqlx::query(
            "INSERT INTO sessions (table_name, checkpoint, input_id, outputs, reached_us, said_by)
             VALUES (?1, NULL, 0, ?2, ?3, ?4)
             ON CONFLICT (table_name) DO UPDATE SET outputs = outputs + excluded.outputs,
                reached_us = MAX(reached_us, excluded.reached_us), said_by =
                CASE WHEN outputs = 0 OR said_by = excluded.said_by THEN excluded.said_by ELSE '' END",
        )
        .bind(&entry.table)
        .bind(i64::try_from(entry.rows.len()).unwrap_or(i64::MAX))
        .bind(reached_us)
        .bind(&entry.said_by)
        .execute(&mut *connection)
        .await?;
    } else {
        return Ok(());
    }
    damage::stamp(connection, damage::SESSIONS, entry.table.as_str()).await
}

/// Closes the journal with all of it in its file: those who only read may have it open still, and then closing carries nothing over.
async fn end(mut connection: SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut connection).await?;
    connection.close().await
}

async fn give_back(
    connection: &mut SqliteConnection,
    boot_id: u64,
    sequence: u64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE outgoing SET acknowledged = 0
         WHERE boot_id = ? AND sequence > ? AND acknowledged = 1",
    )
    .bind(boot_id.cast_signed())
    .bind(sequence.min(i64::MAX as u64).cast_signed())
    .execute(connection)
    .await?;
    Ok(())
}

async fn acknowledge(
    connection: &mut SqliteConnection,
    boot_id: u64,
    sequence: u64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE outgoing SET acknowledged = 1
         WHERE boot_id = ? AND sequence <= ? AND acknowledged = 0",
    )
    .bind(boot_id.cast_signed())
    .bind(sequence.min(i64::MAX as u64).cast_signed())
    .execute(connection)
    .await?;
    Ok(())
}
