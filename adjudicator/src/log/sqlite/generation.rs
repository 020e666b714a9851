//! Identity of a log.
//!
//! Viewers come back with the number of the last event that they have seen. After a copy was put back the log goes on from an earlier
//! number, with other inputs: a number of before would be taken for one of now, and what lies between never be shown. So a log has a
//! random number, kept in a field that SQLite leaves to the application (`PRAGMA user_version`), and it gets another when a copy is put
//! back.

use sqlx::SqliteConnection;

/// Generation of an open database; 0 for one that has none yet.
pub(super) async fn read(connection: &mut SqliteConnection) -> Result<u32, sqlx::Error> {
    let number: i32 = sqlx::query_scalar("PRAGMA user_version").fetch_one(connection).await?;
    Ok(number.cast_unsigned())
}

/// Gives an open database another one.
pub(super) async fn renew(connection: &mut SqliteConnection) -> Result<u32, sqlx::Error> {
    let number = rand::random_range(1..=i32::MAX.cast_unsigned());
    // A pragma takes no parameters.
    let statement = sqlx::AssertSqlSafe(format!("PRAGMA user_version = {number}"));
    sqlx::query(statement).execute(connection).await?;
    Ok(number)
}
