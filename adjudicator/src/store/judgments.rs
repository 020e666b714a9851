//! What the referees made of the log, kept for other programs and for later questions.
//!
//! Nothing here is read back to rebuild the live state: that is a function of the log. Writing is
//! idempotent, so that a rebuild after a crash writes nothing twice.

use sqlx::{Connection as _, SqliteConnection};

use super::{Store, StoreError, to_stored};

/// A match as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRecord {
    /// Its id.
    pub id: String,
    /// The table it is played at.
    pub table: String,
    /// The rulebook it is judged by.
    pub rulebook: String,
    /// `set-up`, `ready`, `playing`, `paused`, `ended`.
    pub state: String,
    /// Plies of both boards.
    pub ply_count: usize,
    /// The proposed result as JSON, if there is one.
    pub proposal: Option<String>,
    /// The input that opened it.
    pub opened_input: u64,
    /// The input that last changed it.
    pub changed_input: u64,
}

/// One revision of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertRecord {
    /// The match.
    pub match_id: String,
    /// The alert's id within the match.
    pub alert_id: String,
    /// 0 for the first report.
    pub revision: u32,
    /// The input that caused this revision.
    pub input_id: u64,
    /// The whole alert as JSON.
    pub body: String,
}

impl Store {
    /// Keeps matches as they stand and alerts' new revisions.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn save_judgments(
        &self,
        matches: &[MatchRecord],
        alerts: &[AlertRecord],
    ) -> Result<(), StoreError> {
        if matches.is_empty() && alerts.is_empty() {
            return Ok(());
        }
        let mut one_writer = self.last_id.lock().await;
        self.settle(&mut one_writer).await?;
        let mut writing = self.write().await?;
        let saved = save(&mut writing, matches, alerts).await;
        self.end(writing, saved).await
    }

    /// Every stored revision of a match's alerts, oldest first.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn alert_history(&self, match_id: &str) -> Result<Vec<String>, StoreError> {
        let bodies = sqlx::query_scalar(
            "SELECT body FROM alert WHERE match_id = $1 ORDER BY input_id, alert_id, revision",
        )
        .bind(match_id)
        .fetch_all(&self.pool)
        .await?;
        Ok(bodies)
    }

    /// The newest input whose judgments have been kept.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub async fn judged_until(&self) -> Result<u64, StoreError> {
        let id: Option<i64> = sqlx::query_scalar("SELECT MAX(changed_input) FROM match_summary")
            .fetch_one(&self.pool)
            .await?;
        Ok(id.map_or(0, super::from_stored))
    }
}

async fn save(
    connection: &mut SqliteConnection,
    matches: &[MatchRecord],
    alerts: &[AlertRecord],
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    for record in matches {
        sqlx::query(
            "INSERT INTO match_summary (id, table_name, rulebook, state, ply_count, proposal, opened_input, changed_input) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (id) DO UPDATE SET state = $4, ply_count = $5, proposal = $6, changed_input = $8",
        )
        .bind(&record.id)
        .bind(&record.table)
        .bind(&record.rulebook)
        .bind(&record.state)
        .bind(to_stored(record.ply_count as u64))
        .bind(record.proposal.as_deref())
        .bind(to_stored(record.opened_input))
        .bind(to_stored(record.changed_input))
        .execute(&mut *transaction)
        .await?;
    }
    for record in alerts {
        sqlx::query(
            "INSERT INTO alert (match_id, alert_id, revision, input_id, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (match_id, alert_id, revision) DO NOTHING",
        )
        .bind(&record.match_id)
        .bind(&record.alert_id)
        .bind(i64::from(record.revision))
        .bind(to_stored(record.input_id))
        .bind(&record.body)
        .execute(&mut *transaction)
        .await?;
    }
    transaction.commit().await
}
