//! Reading the journal: rows to send, sessions to rebuild, matches to export. A connection of its
//! own that cannot write, so that readers never hold up the writer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use delivery::{Answer, JournalRow, Query};
use proto::link::ResumePoint;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{Row as _, SqlitePool};
use tracing::warn;

use super::{BUSY_TIMEOUT, JournalError, MatchRecord, Recovered, Standing, damage};
use crate::HubTime;
use crate::journal_line::Line;

/// Connections at a time: one for the uplink, one for an export.
const CONNECTIONS_MAX: u32 = 2;
/// Inputs fetched at a time.
const PAGE: i64 = 1_000;

/// Reads a journal, also one that a hub is writing.
#[derive(Clone, Debug)]
pub struct Reader {
    pub(super) file: PathBuf,
    pub(super) pool: SqlitePool,
}

pub(super) fn journal_row(row: &sqlx::sqlite::SqliteRow) -> Result<JournalRow, sqlx::Error> {
    Ok(JournalRow {
        row_id: row.try_get(0)?,
        boot_id: row.try_get::<i64, _>(1)?.cast_unsigned(),
        sequence: row.try_get::<i64, _>(2)?.cast_unsigned(),
        body: row.try_get(3)?,
    })
}

/// A row with its checksum behind it. A row that the disk has damaged since the journal was opened is replaced by one that reports it.
fn checked_row(row: &sqlx::sqlite::SqliteRow) -> Result<JournalRow, sqlx::Error> {
    let found = journal_row(row)?;
    if damage::is_whole(row, 1) {
        return Ok(found);
    }
    tracing::error!(
        row = found.row_id,
        "this machine's disk has damaged a row of the journal: it is left out"
    );
    let body = damage::substitute(found.sequence, &found.body, &[]);
    Ok(JournalRow { body, ..found })
}

impl Reader {
    /// Opens a journal that exists.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub async fn open(file: &Path) -> Result<Reader, JournalError> {
        let options =
            SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(BUSY_TIMEOUT);
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .connect_with(options)
            .await
            .map_err(|source| JournalError::opening(file, source))?;
        Ok(Reader { file: file.to_owned(), pool })
    }

    /// Closes all connections; later questions are refused. Another run of the same process may open the journal then.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }

    pub(super) fn error(&self, source: sqlx::Error) -> JournalError {
        JournalError::from_sqlx(&self.file, source)
    }

    /// State of the journal for a [`delivery::Sender`].
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn answer(&self, query: &Query) -> Result<Answer, JournalError> {
        Ok(match *query {
            Query::LastAcknowledged(limit) => {
                Answer::LastAcknowledged(self.last_acknowledged(limit).await?)
            }
            Query::RowsAfter { row_id, limit } => {
                Answer::RowsAfter(self.rows_after(row_id, limit).await?)
            }
            Query::FirstSequences => Answer::FirstSequences(self.first_sequences().await?),
        })
    }

    /// Rows after `row_id` that are not acknowledged, in order, at most `limit`.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn rows_after(
        &self,
        row_id: i64,
        limit: usize,
    ) -> Result<Vec<JournalRow>, JournalError> {
        let rows = sqlx::query(
            "SELECT row_id, boot_id, sequence, body, checksum FROM outgoing
             WHERE acknowledged = 0 AND row_id > ? ORDER BY row_id LIMIT ?",
        )
        .bind(row_id)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        rows.iter().map(checked_row).collect::<Result<_, _>>().map_err(|source| self.error(source))
    }

    /// The last acknowledged row of each of the latest boots that have one, at most `limit`, in order.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn last_acknowledged(&self, limit: usize) -> Result<Vec<JournalRow>, JournalError> {
        let rows = sqlx::query(
            "SELECT row_id, boot_id, sequence, body, checksum FROM outgoing WHERE row_id IN
                (SELECT MAX(row_id) FROM outgoing WHERE acknowledged = 1 GROUP BY boot_id
                 ORDER BY 1 DESC LIMIT ?)
             ORDER BY row_id",
        )
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        rows.iter().map(checked_row).collect::<Result<_, _>>().map_err(|source| self.error(source))
    }

    /// The first remaining row of each boot.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn first_sequences(&self) -> Result<BTreeMap<u64, u64>, JournalError> {
        let found: Vec<(i64, i64)> =
            sqlx::query_as("SELECT boot_id, MIN(sequence) FROM outgoing GROUP BY boot_id")
                .fetch_all(&self.pool)
                .await
                .map_err(|source| self.error(source))?;
        let unsigned =
            |(boot_id, sequence): (i64, i64)| (boot_id.cast_unsigned(), sequence.cast_unsigned());
        Ok(found.into_iter().map(unsigned).collect())
    }

    /// Position up to which a node's events are committed.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn resume_point(&self, node_id: &str) -> Result<Option<ResumePoint>, JournalError> {
        let found: Option<(u32, u32)> =
            sqlx::query_as("SELECT boot_id, sequence FROM nodes WHERE node_id = ?")
                .bind(node_id)
                .fetch_optional(&self.pool)
                .await
                .map_err(|source| self.error(source))?;
        Ok(found.map(|(boot_id, sequence)| ResumePoint { boot_id, sequence }))
    }

    /// The last checkpoint of the session of `table`.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn recovered(&self, table: &str) -> Result<Recovered, JournalError> {
        let found: Option<(Option<String>, i64, i64, i64, String)> = sqlx::query_as(
            "SELECT checkpoint, input_id, outputs, reached_us, said_by FROM sessions WHERE table_name = ?",
        )
        .bind(table)
        .fetch_optional(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let recovered = |(checkpoint, input_id, outputs, reached_us, said_by)| {
            let outputs = i64::max(outputs, 0).cast_unsigned();
            let reached = HubTime::from_micros(i64::max(reached_us, 0).cast_unsigned());
            Recovered { checkpoint, input_id, outputs, reached, said_by }
        };
        Ok(found.map_or_else(Recovered::default, recovered))
    }

    /// Gives the inputs of `table` after `input_id` to `take`, in order; returns their number. A line that is no input stays in
    /// the journal and is logged: one line must not keep all tables of the hub from starting.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn replay(
        &self,
        table: &str,
        input_id: i64,
        mut take: impl FnMut(Line),
    ) -> Result<u64, JournalError> {
        let (mut after, mut count) = (input_id, 0);
        loop {
            let page: Vec<(i64, String)> = sqlx::query_as(
                "SELECT input_id, line FROM inputs WHERE table_name = ? AND input_id > ?
                 ORDER BY input_id LIMIT ?",
            )
            .bind(table)
            .bind(after)
            .bind(PAGE)
            .fetch_all(&self.pool)
            .await
            .map_err(|source| self.error(source))?;
            let Some((last, _)) = page.last() else { return Ok(count) };
            after = *last;
            for (input_id, line) in &page {
                match self.parse(line) {
                    Ok(line) => {
                        take(line);
                        count += 1;
                    }
                    Err(error) => warn!(
                        table,
                        input_id,
                        "{error}; it is left where it is and not taken: was it written by another release?"
                    ),
                }
            }
        }
    }

    pub(super) fn parse<T: serde::de::DeserializeOwned>(
        &self,
        line: &str,
    ) -> Result<T, JournalError> {
        serde_json::from_str(line).map_err(|error| JournalError::Line {
            file: self.file.clone(),
            reason: error.to_string(),
        })
    }

    /// The matches in the journal, oldest first, and whether each is over.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn matches(&self) -> Result<Vec<(String, bool)>, JournalError> {
        sqlx::query_as("SELECT match_id, ended FROM matches ORDER BY opened_us, match_id")
            .fetch_all(&self.pool)
            .await
            .map_err(|source| self.error(source))
    }

    /// The open matches of a table, oldest first, with the published rows of each.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn standing(&self, table: &str) -> Result<Vec<Standing>, JournalError> {
        let found: Vec<(String, i64, String, String)> = sqlx::query_as(
            "SELECT match_id, opened_us, header, prologue FROM matches
             WHERE table_name = ? AND ended = 0 ORDER BY opened_us, match_id",
        )
        .bind(table)
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let mut standing = Vec::new();
        for (match_id, opened_us, header, prologue) in found {
            let told = self.told_whole(&match_id).await?;
            let opened = HubTime::from_micros(opened_us.max(0).cast_unsigned());
            let record = MatchRecord { match_id, opened, header, prologue, ended: false };
            standing.push(Standing { record, told });
        }
        Ok(standing)
    }

    /// Rows that the adjudicator has not acknowledged.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn rows_waiting(&self) -> Result<u64, JournalError> {
        let waiting: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM outgoing WHERE acknowledged = 0")
                .fetch_one(&self.pool)
                .await
                .map_err(|source| self.error(source))?;
        Ok(waiting.unsigned_abs())
    }
}
