//! What the journal forgets, so that it does not grow without bound: finished matches beyond a
//! number, inputs before them, and rows that the adjudicator has committed. Never a row that it has
//! not, and never an input of a match that goes on.

use sqlx::SqliteConnection;

/// Acknowledged rows kept, so that an adjudicator restored from a backup can be given them again.
pub(super) const ACKNOWLEDGED_ROWS_KEPT: i64 = 20_000;

/// Boots whose last acknowledged row is kept in any case: with it the uplink asks how far the adjudicator has the boot. Without it
/// nobody would notice that a store that was restored lacks a boot of which nothing is left here.
const BOOTS_KEPT: i64 = 32;

/// Orders kept, so that one that comes again is known.
const ORDERS_KEPT: i64 = 10_000;

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
    sqlx::query(
        "DELETE FROM matches WHERE ended = 1 AND match_id NOT IN
            (SELECT match_id FROM matches WHERE ended = 1 ORDER BY opened_us DESC LIMIT ?)",
    )
    .bind(i64::from(keep_matches))
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "DELETE FROM inputs WHERE (match_id IS NULL OR match_id NOT IN (SELECT match_id FROM matches))
            AND input_id <= COALESCE(
                (SELECT input_id FROM sessions WHERE sessions.table_name = inputs.table_name), 0)",
    )
    .execute(&mut *connection)
    .await?;
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
