//! Deletions from the journal, so that it does not grow without bound: finished matches beyond a
//! number, inputs before them, and rows that the adjudicator has committed. It never deletes a row that the adjudicator
//! lacks, nor an input of a match that goes on.

use std::time::Duration;

use sqlx::{AssertSqlSafe, SqliteConnection};

/// Acknowledged rows kept, so that an adjudicator restored from a backup can be given them again.
pub(super) const ACKNOWLEDGED_ROWS_KEPT: i64 = 20_000;

/// Boots whose last acknowledged row is kept in any case: with it the uplink asks how far the adjudicator has the boot. Without it
/// no check would find that a restored store lacks a boot of which nothing is left here.
const BOOTS_KEPT: i64 = 32;

/// Number of orders that are kept, so that a repeated order is recognised.
const ORDERS_KEPT: i64 = 10_000;

/// Time between two prunings of a journal that is written: between matches, too, a chattering square fills it.
pub(super) const PRUNE_EVERY: Duration = Duration::from_secs(60);

/// Makes the index that pruning needs; a file of an earlier release lacks it.
pub(super) async fn prepare(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("CREATE INDEX IF NOT EXISTS inputs_by_match ON inputs (match_id)")
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes finished matches beyond `keep_matches`, and acknowledged rows beyond `keep_rows`.
pub(super) async fn prune(
    connection: &mut SqliteConnection,
    keep_matches: u32,
    keep_rows: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "DELETE FROM outgoing WHERE acknowledged = 1
            AND row_id <= (SELECT COALESCE(MAX(row_id), 0) FROM outgoing) - ?
            AND row_id NOT IN (SELECT MAX(row_id) FROM outgoing WHERE acknowledged = 1
                GROUP BY boot_id ORDER BY 1 DESC LIMIT ?)",
    )
    .bind(keep_rows)
    .bind(BOOTS_KEPT)
    .execute(&mut *connection)
    .await?;
    prune_inputs(connection, keep_matches).await?;
    sqlx::query(
        "DELETE FROM orders WHERE ended IS NOT NULL
            AND position <= (SELECT COALESCE(MAX(position), 0) FROM orders) - ?
            AND match_id NOT IN (SELECT match_id FROM matches)",
    )
    .bind(ORDERS_KEPT)
    .execute(&mut *connection)
    .await?;
    Ok(())
}

/// The matches that inputs name and that are no more. Each step looks the next name up in the index: a scan of all inputs would take seconds on
/// a slow card.
const GONE: &str = "WITH RECURSIVE named (match_id) AS (
        SELECT MIN(match_id) FROM inputs
        UNION ALL
        SELECT (SELECT MIN(match_id) FROM inputs WHERE match_id > named.match_id) FROM named
            WHERE named.match_id IS NOT NULL)
    SELECT match_id FROM named
        WHERE match_id IS NOT NULL AND match_id NOT IN (SELECT match_id FROM matches)";

/// Deletes finished matches beyond `keep_matches`, their inputs, and inputs between matches, as far as a checkpoint includes them. The writer of
/// sixteen tables waits meanwhile.
async fn prune_inputs(
    connection: &mut SqliteConnection,
    keep_matches: u32,
) -> Result<(), sqlx::Error> {
    const INCLUDED: &str = "input_id <= COALESCE(
        (SELECT input_id FROM sessions WHERE sessions.table_name = inputs.table_name), 0)";
    sqlx::query(
        "DELETE FROM matches WHERE ended = 1 AND match_id NOT IN
            (SELECT match_id FROM matches WHERE ended = 1 ORDER BY opened_us DESC LIMIT ?)",
    )
    .bind(i64::from(keep_matches))
    .execute(&mut *connection)
    .await?;
    let gone: Vec<String> = sqlx::query_scalar(GONE).fetch_all(&mut *connection).await?;
    for match_id in gone {
        let delete = format!("DELETE FROM inputs WHERE match_id = ? AND {INCLUDED}");
        sqlx::query(AssertSqlSafe(delete)).bind(match_id).execute(&mut *connection).await?;
    }
    let between = format!("DELETE FROM inputs WHERE match_id IS NULL AND {INCLUDED}");
    sqlx::query(AssertSqlSafe(between)).execute(&mut *connection).await?;
    Ok(())
}
