//! Contents of a journal, for people: boots and their rows, matches, and the rows themselves, sent or not.
//!
//! A journal is evidence, and the rescue when an adjudicator's database is lost. Nothing here changes it.

use sqlx::Row as _;

use super::{JournalError, Reader, schema};
use crate::HubTime;
use delivery::JournalRow;

/// Contents of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The hub that wrote it.
    pub hub_id: String,
    /// Its runs that have rows, oldest first.
    pub boots: Vec<BootSurvey>,
    /// Its matches, oldest first.
    pub matches: Vec<MatchSurvey>,
}

/// The rows of one run of the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootSurvey {
    /// The boot.
    pub boot_id: u64,
    /// The first and the last sequence in the journal.
    pub sequences: (u64, u64),
    /// Number of rows.
    pub rows: u64,
    /// Number of rows that no adjudicator has acknowledged.
    pub waiting: u64,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSurvey {
    /// The match.
    pub match_id: String,
    /// The table.
    pub table: String,
    /// Time of its opening, in hub time.
    pub opened: HubTime,
    /// Whether the hub takes it to be over.
    pub ended: bool,
    /// Number of its readings.
    pub readings: u64,
}

/// A row, and whether an adjudicator has acknowledged it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRow {
    /// The row.
    pub row: JournalRow,
    /// Whether it is acknowledged.
    pub acknowledged: bool,
}

impl Reader {
    /// Looks through the whole journal.
    ///
    /// # Errors
    ///
    /// The file is no journal, is one of another layout, or cannot be read.
    pub async fn survey(&self) -> Result<Survey, JournalError> {
        self.check_layout().await?;
        let hub_id: Option<String> = sqlx::query_scalar("SELECT hub_id FROM about")
            .fetch_optional(&self.pool)
            .await
            .map_err(|source| self.error(source))?;
        Ok(Survey {
            hub_id: hub_id.unwrap_or_default(),
            boots: self.boots().await?,
            matches: self.surveyed_matches().await?,
        })
    }

    /// Refuses what is no journal of this layout, with a word about what it is.
    async fn check_layout(&self) -> Result<(), JournalError> {
        let file = || self.file.clone();
        let mut connection = self.pool.acquire().await.map_err(|source| self.error(source))?;
        let found = schema::found(&mut connection).await;
        match found.map_err(|_| JournalError::NoJournal { file: file() })? {
            None => Err(JournalError::NoJournal { file: file() }),
            Some(found) if !schema::is_readable(found) => {
                Err(JournalError::OtherLayout { file: file(), found, wanted: schema::LAYOUT })
            }
            Some(_) => Ok(()),
        }
    }

    async fn boots(&self) -> Result<Vec<BootSurvey>, JournalError> {
        let rows = sqlx::query(
            "SELECT boot_id, MIN(sequence), MAX(sequence), COUNT(*), SUM(acknowledged = 0)
             FROM outgoing GROUP BY boot_id ORDER BY MIN(row_id)",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let boot = |row: &sqlx::sqlite::SqliteRow| -> Result<BootSurvey, sqlx::Error> {
            let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
            Ok(BootSurvey {
                boot_id: number(0)?,
                sequences: (number(1)?, number(2)?),
                rows: number(3)?,
                waiting: number(4)?,
            })
        };
        rows.iter().map(boot).collect::<Result<_, _>>().map_err(|source| self.error(source))
    }

    async fn surveyed_matches(&self) -> Result<Vec<MatchSurvey>, JournalError> {
        let found: Vec<(String, String, i64, bool, i64)> = sqlx::query_as(
            "SELECT matches.match_id, matches.table_name, opened_us, ended, COUNT(inputs.input_id)
             FROM matches LEFT JOIN inputs
                ON inputs.match_id = matches.match_id AND inputs.input_id > matches.first_input
             GROUP BY matches.match_id ORDER BY opened_us, matches.match_id",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let surveyed = found.into_iter().map(|(match_id, table, opened_us, ended, readings)| {
            let opened = HubTime::from_micros(opened_us.max(0).cast_unsigned());
            MatchSurvey { match_id, table, opened, ended, readings: readings.cast_unsigned() }
        });
        Ok(surveyed.collect())
    }

    /// Rows after `row_id`, acknowledged ones too, in order, at most `limit`.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn sent_rows_after(
        &self,
        row_id: i64,
        limit: usize,
    ) -> Result<Vec<SentRow>, JournalError> {
        let rows = sqlx::query(
            "SELECT row_id, boot_id, sequence, body, acknowledged FROM outgoing
             WHERE row_id > ? ORDER BY row_id LIMIT ?",
        )
        .bind(row_id)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let sent = |row: &sqlx::sqlite::SqliteRow| -> Result<SentRow, sqlx::Error> {
            Ok(SentRow { row: super::reader::journal_row(row)?, acknowledged: row.try_get(4)? })
        };
        rows.iter().map(sent).collect::<Result<_, _>>().map_err(|source| self.error(source))
    }
}
