//! Matches that the journal has as open, for a hub that is another release than the one that opened them.

use super::{JournalError, MatchRecord, Reader, Standing};
use crate::HubTime;

impl Reader {
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
}
