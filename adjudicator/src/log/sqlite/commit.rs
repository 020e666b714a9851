//! A group, committed in one turn of the database's thread.
//!
//! Each statement that is asked for by itself wakes the database's thread, and then the task that asked. A row took five of them; where the
//! disk is fast that was felt (`docs/latency.md`). So a group is one text of statements, from BEGIN to COMMIT.

use std::fmt::Write as _;

use sqlx::{
    Arguments as _, AssertSqlSafe, Connection as _, Sqlite, SqliteConnection, encode::Encode,
    sqlite::SqliteArguments, types::Type,
};

use crate::log::{
    StoreError,
    group::Group,
    mending::Mend,
    shard_log::{Beside, BootPosition, Filling},
    stored_row::{StoredRow, to_stored},
    survey::Boot,
};

/// Largest group whose statement is kept prepared, tuples: in a quiet hall most groups have the same few shapes.
const PREPARED_TUPLES_MAX: usize = 6;

/// Maximum number of inputs of one statement. SQLite searches each named parameter among all of its statement: more of them take longer.
const STATEMENT_INPUTS_MAX: usize = 32;

/// Ends a text of another epoch: a value that is missing breaks off all of it.
const FENCE: &str = "INSERT INTO meta (name, value) SELECT 'epoch', NULL FROM meta WHERE name = 'epoch' AND CAST(value AS INTEGER) <>";

/// Commits a group. After an error the connection may be within a transaction.
pub(super) async fn commit(
    connection: &mut SqliteConnection,
    epoch: u64,
    group: &Group,
) -> Result<(), sqlx::Error> {
    let (statements, arguments) = ("BEGIN IMMEDIATE".to_owned(), SqliteArguments::default());
    let mut text = BoundStatements { statements, tuples: 0, inputs: 0, arguments, received: 0 };
    text.received = text.argument(to_stored(group.received_ms))?;
    let epoch = text.argument(to_stored(epoch))?;
    text.state(format_args!("; {FENCE} ${epoch}"));
    for row in &group.mended {
        text.mend_row(row)?;
    }
    let mut boot = None;
    for row in &group.inputs {
        text.add_input(row, &mut boot)?;
    }
    for (boot, &position) in &group.positions {
        text.set_position(boot, position)?;
    }
    text.statements.push_str("; COMMIT");
    // No value of a hub is in the text: it has numbered parameters, and the values are bound to them.
    sqlx::query_with(AssertSqlSafe(text.statements), text.arguments)
        .persistent(text.tuples <= PREPARED_TUPLES_MAX + 1)
        .execute(connection)
        .await?;
    Ok(())
}

/// Statements and what is bound to their places.
struct BoundStatements {
    statements: String,
    /// Inputs, boots with a new position, and the check of the epoch.
    tuples: usize,
    inputs: usize,
    arguments: SqliteArguments,
    /// The place of the time of receipt among the arguments.
    received: usize,
}

/// A boot's hub and number, and their places among the arguments.
type BootPlaces = (Option<String>, Option<u64>, usize, usize);

impl BoundStatements {
    /// The place that a value has among the arguments.
    fn argument<'q, T: Encode<'q, Sqlite> + Type<Sqlite>>(
        &mut self,
        value: T,
    ) -> Result<usize, sqlx::Error> {
        self.arguments.add(value).map_err(sqlx::Error::Encode)?;
        Ok(self.arguments.len())
    }

    fn add_input(
        &mut self,
        row: &StoredRow,
        last: &mut Option<BootPlaces>,
    ) -> Result<(), sqlx::Error> {
        let (hub, boot) = match last {
            Some((hub, boot, hub_at, boot_at)) if *hub == row.hub && *boot == row.boot_id => {
                (*hub_at, *boot_at)
            }
            _ => {
                let hub = self.argument(row.hub.as_deref())?;
                let boot = self.argument(row.boot_id.map(to_stored))?;
                *last = Some((row.hub.clone(), row.boot_id, hub, boot));
                (hub, boot)
            }
        };
        let (id, kind) = (self.argument(to_stored(row.id))?, self.argument(row.kind.as_str())?);
        let sequence = self.argument(row.sequence.map(to_stored))?;
        let (table, of_match) =
            (self.argument(row.table.as_deref())?, self.argument(row.match_id.as_deref())?);
        let (payload, checksum) =
            (self.argument(row.payload.as_slice())?, self.argument(row.checksum())?);
        let received = self.received;
        let before = match self.inputs % STATEMENT_INPUTS_MAX {
            0 => {
                "; INSERT INTO input (id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum) VALUES"
            }
            _ => ",",
        };
        self.inputs += 1;
        self.state(format_args!(
            "{before} (${id}, ${received}, ${kind}, ${hub}, ${boot}, ${sequence}, ${table}, ${of_match}, ${payload}, ${checksum})"
        ));
        Ok(())
    }

    fn mend_row(&mut self, row: &StoredRow) -> Result<(), sqlx::Error> {
        let (id, received) = (self.argument(to_stored(row.id))?, self.received);
        let (table, of_match) =
            (self.argument(row.table.as_deref())?, self.argument(row.match_id.as_deref())?);
        let (payload, checksum) =
            (self.argument(row.payload.as_slice())?, self.argument(row.checksum())?);
        self.state(format_args!(
            "; UPDATE input SET kind = 'row', received_ms = ${received}, table_name = ${table}, match_id = ${of_match}, \
             payload = ${payload}, checksum = ${checksum} WHERE id = ${id}"
        ));
        Ok(())
    }

    fn set_position(&mut self, (hub, boot): &Boot, position: u64) -> Result<(), sqlx::Error> {
        let (hub, boot) = (self.argument(hub.as_str())?, self.argument(to_stored(*boot))?);
        let (position, received) = (self.argument(to_stored(position))?, self.received);
        self.state(format_args!(
            "; INSERT INTO hub_position (hub, boot_id, sequence, seen_ms) VALUES (${hub}, ${boot}, ${position}, ${received}) \
             ON CONFLICT (hub, boot_id) DO UPDATE SET sequence = excluded.sequence, seen_ms = excluded.seen_ms"
        ));
        Ok(())
    }

    fn state(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.statements.write_fmt(text);
        self.tuples += 1;
    }
}

/// Writes what a look through the log found to be wrong.
pub(super) async fn mend(database: &mut SqliteConnection, mend: &Mend) -> Result<(), sqlx::Error> {
    if !mend.rewritten.is_empty() {
        // A damaged value may be in an index, too, or in the table and not in the index.
        sqlx::query("REINDEX input").execute(&mut *database).await?;
    }
    let mut transaction = database.begin().await?;
    for (place, row) in &mend.rewritten {
        let statement = "UPDATE input SET id = $1, received_ms = $2, kind = $3, hub = $4, boot_id = $5, sequence = $6, table_name = $7, \
                         match_id = $8, payload = $9, checksum = $10 WHERE rowid = $11";
        write(&mut transaction, statement, row, Some(row.checksum()), Some(*place)).await?;
    }
    for row in &mend.appended {
        write(&mut transaction, INSERT, row, Some(row.checksum()), None).await?;
    }
    for ((hub, boot_id), sequence) in &mend.positions {
        let statement = match sequence {
            0 => "DELETE FROM hub_position WHERE hub = $1 AND boot_id = $2 AND $3 = 0",
            _ => {
                "INSERT INTO hub_position (hub, boot_id, sequence, seen_ms) VALUES ($1, $2, $3, 0) \
                 ON CONFLICT (hub, boot_id) DO UPDATE SET sequence = excluded.sequence"
            }
        };
        let query = sqlx::query(statement).bind(hub).bind(to_stored(*boot_id));
        query.bind(to_stored(*sequence)).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// Fills an empty log with another.
pub(super) async fn fill(
    database: &mut SqliteConnection,
    from: &mut Filling<'_>,
) -> Result<(), StoreError> {
    let mut transaction = database.begin().await?;
    loop {
        let rows = from.next().await?;
        if rows.is_empty() {
            break;
        }
        for (checksum, row) in &rows {
            write(&mut transaction, INSERT, row, *checksum, None).await?;
        }
    }
    let Beside { positions, unchecked_until } = from.end().await?;
    for BootPosition { boot: (hub, boot_id), sequence, seen_ms } in positions {
        sqlx::query(
            "INSERT INTO hub_position (hub, boot_id, sequence, seen_ms) VALUES ($1, $2, $3, $4)",
        )
        .bind(hub)
        .bind(to_stored(boot_id))
        .bind(to_stored(sequence))
        .bind(to_stored(seen_ms))
        .execute(&mut *transaction)
        .await?;
    }
    sqlx::query("UPDATE meta SET value = $1 WHERE name = 'unchecked_until'")
        .bind(unchecked_until.to_string())
        .execute(&mut *transaction)
        .await?;
    Ok(transaction.commit().await?)
}

const INSERT: &str = "INSERT INTO input (id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Writes all columns of an input.
async fn write(
    database: &mut SqliteConnection,
    statement: &'static str,
    row: &StoredRow,
    checksum: Option<i64>,
    place: Option<i64>,
) -> Result<(), sqlx::Error> {
    let mut query = sqlx::query(statement)
        .bind(to_stored(row.id))
        .bind(to_stored(row.received_ms))
        .bind(&row.kind)
        .bind(&row.hub)
        .bind(row.boot_id.map(to_stored))
        .bind(row.sequence.map(to_stored))
        .bind(&row.table)
        .bind(&row.match_id)
        .bind(&row.payload)
        .bind(checksum);
    if let Some(place) = place {
        query = query.bind(place);
    }
    query.execute(database).await.map(drop)
}
