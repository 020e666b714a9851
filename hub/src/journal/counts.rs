//! Numbers of the journal, for the hub's operator.

use super::{JournalError, Reader};

impl Reader {
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
