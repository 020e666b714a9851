//! Damage of the journal: every row has a checksum, written with it and checked when the journal is opened and when a row is sent.
//!
//! A damaged row is not believed. A row for the adjudicator is replaced by one that reports the damage: sequences have no gaps: later rows
//! would wait for it for ever. A line of a session is left out, a session or a node begins again, an order ends with an unknown outcome.
//! Directors read it among this hub's troubles. Rows of earlier layouts have no checksum and are taken as they are.

use database_file::Checksum;
use prost::Message as _;
use proto::mqtt::message::row::Event;
use proto::mqtt::message::{NodeState, NodeStateChanged, OrderOutcome, Row};
use sqlx::sqlite::SqliteRow;
use sqlx::{
    AssertSqlSafe, Column as _, Connection as _, Row as _, SqliteConnection, TypeInfo as _,
    ValueRef as _,
};

/// A larger file is not looked through by SQLite at a start, bytes: its rows are, all the same.
const QUICK_CHECK_BYTES_MAX: i64 = 1 << 30;
/// Longest table name that is taken from a damaged row.
const TABLE_NAME_MAX: usize = 64;

/// A table whose rows have checksums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    name: &'static str,
    key: &'static str,
    /// Columns of the checksum. A column that changes while the row stays is not among them: the hub asks for acknowledgements from the
    /// adjudicator at every connection.
    columns: &'static str,
}

pub(super) const OUTGOING: Checked =
    Checked { name: "outgoing", key: "row_id", columns: "boot_id, sequence, body" };
pub(super) const INPUTS: Checked = Checked {
    name: "inputs",
    key: "input_id",
    columns: "table_name, match_id, t_us, made_us, line",
};
pub(super) const SESSIONS: Checked = Checked {
    name: "sessions",
    key: "table_name",
    columns: "table_name, checkpoint, input_id, outputs, reached_us, said_by",
};
pub(super) const MATCHES: Checked = Checked {
    name: "matches",
    key: "match_id",
    columns: "match_id, table_name, opened_us, header, prologue, first_input, ended",
};
pub(super) const ORDERS: Checked = Checked {
    name: "orders",
    key: "order_id",
    columns: "order_id, position, table_name, match_id, kind, body, node_id, boot_id, request, ended",
};
pub(super) const NODES: Checked =
    Checked { name: "nodes", key: "node_id", columns: "node_id, boot_id, sequence" };

/// Numbers of damaged rows that were found when a journal was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Rows of all tables.
    pub rows: u64,
    /// Damage of the file that SQLite finds.
    pub file: Option<String>,
}

impl Damage {
    /// The notice to directors; none about a whole journal.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let rows = match (self.rows, &self.file) {
            (0, None) => return None,
            (0, Some(found)) => format!("its journal: {found}"),
            (1, _) => "a row of its journal, which is left out".to_owned(),
            (rows, _) => format!("{rows} rows of its journal, which are left out"),
        };
        Some(format!(
            "this hub's disk has damaged {rows}: copy the journal to another disk (`twinboard hub backup`), and change the card after the round"
        ))
    }
}

/// The checksum of a row that was read: of its columns from `first` on, without the last one.
fn checksum(row: &SqliteRow, first: usize) -> Result<i64, sqlx::Error> {
    let mut checksum = Checksum::default();
    for column in &row.columns()[first..row.len() - 1] {
        let at = column.ordinal();
        let value = row.try_get_raw(at)?;
        let kind = value.type_info().name().to_owned();
        let is_null = value.is_null();
        checksum = match kind.as_str() {
            _ if is_null => checksum.bytes(None),
            "INTEGER" | "BOOLEAN" => checksum.number(row.try_get_unchecked::<i64, _>(at)?),
            "BLOB" => checksum.bytes(row.try_get_unchecked::<&[u8], _>(at)?),
            _ => checksum.text(row.try_get_unchecked::<&str, _>(at)?),
        };
    }
    Ok(checksum.value())
}

/// Whether a row is what was written; its last column is the checksum, and those before `first` do not count.
pub(super) fn is_whole(row: &SqliteRow, first: usize) -> bool {
    match row.try_get::<Option<i64>, _>(row.len() - 1) {
        Ok(None) => true,
        Ok(Some(written)) => checksum(row, first).is_ok_and(|found| found == written),
        Err(_) => false,
    }
}

/// Gives a row that was just written its checksum.
pub(super) async fn stamp<'q, K>(
    connection: &mut SqliteConnection,
    table: Checked,
    key: K,
) -> Result<(), sqlx::Error>
where
    K: Copy + sqlx::Encode<'q, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite> + Send + 'q,
{
    let Checked { name, key: column, columns } = table;
    let select = format!("SELECT {columns}, checksum FROM {name} WHERE {column} = ?");
    let row = sqlx::query(AssertSqlSafe(select)).bind(key).fetch_one(&mut *connection).await?;
    let update = format!("UPDATE {name} SET checksum = ? WHERE {column} = ?");
    let checksum = checksum(&row, 0)?;
    sqlx::query(AssertSqlSafe(update)).bind(checksum).bind(key).execute(connection).await?;
    Ok(())
}

/// Last place of a table whose row may lack a checksum.
async fn unchecked_until(
    connection: &mut SqliteConnection,
    table: Checked,
) -> Result<i64, sqlx::Error> {
    let until = sqlx::query_scalar("SELECT until FROM unchecked WHERE name = ?").bind(table.name);
    Ok(until.fetch_optional(connection).await?.unwrap_or(0))
}

/// Checks a journal that was just opened, and removes damaged rows.
pub(super) async fn look_through(connection: &mut SqliteConnection) -> Result<Damage, sqlx::Error> {
    let mut damage = Damage { file: quick_check(connection).await?, rows: 0 };
    if damage.file.is_some() {
        // The damage may be in an index, which can be made again from its table.
        let made = sqlx::query("REINDEX").execute(&mut *connection).await;
        drop(made.inspect_err(
            |error| tracing::error!(%error, "the journal's indices cannot be made again"),
        ));
    }
    for table in [OUTGOING, INPUTS, SESSIONS, MATCHES, ORDERS, NODES] {
        let places = damaged(connection, table).await?;
        if places.is_empty() {
            continue;
        }
        damage.rows += places.len() as u64;
        tracing::error!(
            table = table.name,
            rows = places.len(),
            "this machine's disk has damaged rows of the journal: they are left out"
        );
        // A damaged value may be in an index, too, or in the table and not in the index.
        let reindex = format!("REINDEX {}", table.name);
        sqlx::query(AssertSqlSafe(reindex)).execute(&mut *connection).await?;
        let mut transaction = connection.begin().await?;
        for place in places {
            put_away(&mut transaction, table, place).await?;
        }
        transaction.commit().await?;
    }
    Ok(damage)
}

async fn quick_check(connection: &mut SqliteConnection) -> Result<Option<String>, sqlx::Error> {
    let bytes = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    let bytes: i64 = sqlx::query_scalar(bytes).fetch_one(&mut *connection).await?;
    if bytes > QUICK_CHECK_BYTES_MAX {
        return Ok(None);
    }
    let found: String = sqlx::query_scalar("PRAGMA quick_check(1)").fetch_one(connection).await?;
    Ok((found != "ok").then(|| found.replace('\n', " ")))
}

/// The places of damaged rows.
async fn damaged(
    connection: &mut SqliteConnection,
    table: Checked,
) -> Result<Vec<i64>, sqlx::Error> {
    use futures::TryStreamExt as _;
    let Checked { name, columns, .. } = table;
    let unchecked_until = unchecked_until(connection, table).await?;
    // As the table has them: an index may be damaged, too.
    let select =
        format!("SELECT rowid, {columns}, checksum FROM {name} NOT INDEXED ORDER BY rowid");
    let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(connection);
    let mut places = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let place: i64 = row.try_get(0)?;
        // Where the beginning of a row is damaged, the value at its end is no checksum.
        let has_one = row.try_get::<Option<i64>, _>(row.len() - 1).is_ok_and(|it| it.is_some());
        if !is_whole(&row, 1) || !has_one && place > unchecked_until {
            places.push(place);
        }
    }
    Ok(places)
}

async fn put_away(
    connection: &mut SqliteConnection,
    table: Checked,
    place: i64,
) -> Result<(), sqlx::Error> {
    let statement = match table.name {
        "outgoing" => return replace_row(connection, place).await,
        // This text is no line: a reader logs it and goes on.
        "inputs" => "UPDATE inputs SET line = 'damaged', t_us = 0, made_us = NULL WHERE rowid = ?",
        // It begins again behind all that it has read.
        "sessions" => {
            "UPDATE sessions SET checkpoint = NULL, outputs = 0, said_by = '', \
             reached_us = (SELECT COALESCE(MAX(t_us), 0) FROM inputs), \
             input_id = (SELECT COALESCE(MAX(input_id), 0) FROM inputs) WHERE rowid = ?"
        }
        "matches" => "UPDATE matches SET header = 'damaged' WHERE rowid = ?",
        "orders" => {
            let ended = OrderOutcome::Unknown as i32;
            let statement =
                "UPDATE orders SET kind = 'refused', body = '', ended = ? WHERE rowid = ?";
            sqlx::query(statement).bind(ended).bind(place).execute(&mut *connection).await?;
            return stamp(connection, Checked { key: "rowid", ..table }, place).await;
        }
        _ => {
            let statement = "DELETE FROM nodes WHERE rowid = ?";
            return sqlx::query(statement).bind(place).execute(connection).await.map(drop);
        }
    };
    sqlx::query(statement).bind(place).execute(&mut *connection).await?;
    stamp(connection, Checked { key: "rowid", ..table }, place).await
}

/// Replaces a row for the adjudicator by one that reports the damage.
async fn replace_row(connection: &mut SqliteConnection, place: i64) -> Result<(), sqlx::Error> {
    let neighbours: Vec<(i64, i64, i64, Vec<u8>)> = sqlx::query_as(
        "SELECT row_id, boot_id, sequence, body FROM outgoing WHERE row_id IN (?1 - 1, ?1 + 1) ORDER BY row_id",
    )
    .bind(place)
    .fetch_all(&mut *connection)
    .await?;
    let own: (i64, i64, Vec<u8>) = sqlx::query_as(
        "SELECT CAST(boot_id AS INTEGER), CAST(sequence AS INTEGER), CAST(body AS BLOB) FROM outgoing WHERE row_id = ?",
    )
    .bind(place)
    .fetch_one(&mut *connection)
    .await?;
    // Rows of a boot are written one after the other.
    let place_in_boot = neighbours
        .first()
        .map(|&(row_id, boot_id, sequence, _)| (boot_id, sequence + place - row_id));
    let (boot_id, sequence) = place_in_boot
        .filter(|_| own.1 < 1 || neighbours.iter().all(|it| it.1 != own.0))
        .unwrap_or((own.0, own.1));
    let like = neighbours.first().map_or(&own.2, |it| &it.3);
    let body = substitute(sequence.cast_unsigned(), &own.2, like);
    let checksum =
        Checksum::default().number(boot_id).number(sequence).bytes(body.as_slice()).value();
    let update = "UPDATE OR IGNORE outgoing SET boot_id = ?, sequence = ?, body = ?, checksum = ? WHERE row_id = ?";
    let update =
        sqlx::query(update).bind(boot_id).bind(sequence).bind(body).bind(checksum).bind(place);
    update.execute(connection).await.map(drop)
}

/// A row in the place of a damaged one. Table and match come from the damaged row, as far as it can be read, or from a row beside it.
pub(super) fn substitute(sequence: u64, damaged: &[u8], like: &[u8]) -> Vec<u8> {
    let read = |body: &[u8]| {
        let row = Row::decode(body).ok()?;
        let is_name = |name: &str| {
            (1..=TABLE_NAME_MAX).contains(&name.len())
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
        };
        is_name(&row.table).then_some(row)
    };
    let like = read(like).or_else(|| read(damaged));
    let (table, hub_time_us) =
        like.map_or_else(|| ("?".to_owned(), 0), |row| (row.table, row.hub_time_us));
    let changed = NodeStateChanged {
        node_id: "journal".to_owned(),
        board: None,
        state: NodeState::Faulty as i32,
        detail: format!(
            "row {sequence} of this hub's journal was damaged by its disk: its content is missing from the record"
        ),
    };
    let event = Some(Event::NodeStateChanged(changed));
    Row { sequence, hub_time_us, table, event }.encode_to_vec()
}
