//! A group, committed by one statement: a column of values for each column of the tables.

use sqlx::{Connection as _, PgConnection, Row as _};

use super::{Server, lease};
use crate::log::{
    StoreError,
    group::Group,
    mending::Mend,
    shard_log::{Beside, BootPosition, Filling},
    stored_row::{StoredRow, to_stored},
};

/// Moves the counter on, if the log ends where the group begins and the epoch is the owner's; all else is written only then.
const COMMIT: &str = "WITH fence AS (UPDATE shard SET last_id = $4 WHERE name = $1 AND epoch = $2 AND last_id = $3 RETURNING name), \
     inserted AS (INSERT INTO input (shard, id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum) \
     SELECT fence.name, it.* FROM fence, UNNEST($5::BIGINT[], $6::BIGINT[], $7::TEXT[], $8::BYTEA[], $9::BIGINT[], $10::BIGINT[], \
     $11::BYTEA[], $12::BYTEA[], $13::BYTEA[], $14::BIGINT[]) AS it), \
     positioned AS (INSERT INTO hub_position (shard, hub, boot_id, sequence, seen_ms) \
     SELECT fence.name, it.hub, it.boot_id, it.sequence, $18 FROM fence, UNNEST($15::BYTEA[], $16::BIGINT[], $17::BIGINT[]) \
     AS it (hub, boot_id, sequence) ON CONFLICT (shard, hub, boot_id) DO UPDATE SET sequence = excluded.sequence, seen_ms = excluded.seen_ms) \
     SELECT COUNT(*) FROM fence";

/// Writes all columns of existing rows, by their numbers.
const REWRITE: &str = "UPDATE input SET id = it.id, received_ms = it.received_ms, kind = it.kind, hub = it.hub, boot_id = it.boot_id, \
     sequence = it.sequence, table_name = it.table_name, match_id = it.match_id, payload = it.payload, checksum = it.checksum \
     FROM UNNEST($2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::TEXT[], $6::BYTEA[], $7::BIGINT[], $8::BIGINT[], $9::BYTEA[], \
     $10::BYTEA[], $11::BYTEA[], $12::BIGINT[]) AS it (place, id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, \
     payload, checksum) WHERE input.shard = $1 AND input.id = it.place";

const INSERT: &str = "INSERT INTO input (shard, id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum) \
     SELECT $1, it.* FROM UNNEST($2::BIGINT[], $3::BIGINT[], $4::TEXT[], $5::BYTEA[], $6::BIGINT[], $7::BIGINT[], $8::BYTEA[], \
     $9::BYTEA[], $10::BYTEA[], $11::BIGINT[]) AS it";

/// Inputs, a column each.
#[derive(Default)]
pub(super) struct Columns<'a> {
    ids: Vec<i64>,
    received_ms: Vec<i64>,
    kinds: Vec<&'a str>,
    hubs: Vec<Option<&'a [u8]>>,
    boot_ids: Vec<Option<i64>>,
    sequences: Vec<Option<i64>>,
    tables: Vec<Option<&'a [u8]>>,
    match_ids: Vec<Option<&'a [u8]>>,
    payloads: Vec<&'a [u8]>,
    checksums: Vec<Option<i64>>,
}

/// Binds the columns of inputs to a query, in their order.
macro_rules! bind_columns {
    ($query:expr, $columns:expr) => {{
        let columns = $columns;
        $query
            .bind(&columns.ids)
            .bind(&columns.received_ms)
            .bind(&columns.kinds)
            .bind(&columns.hubs)
            .bind(&columns.boot_ids)
            .bind(&columns.sequences)
            .bind(&columns.tables)
            .bind(&columns.match_ids)
            .bind(&columns.payloads)
            .bind(&columns.checksums)
    }};
}

impl<'a> Columns<'a> {
    /// The new inputs of a group.
    pub(super) fn of(group: &'a Group) -> Columns<'a> {
        group.inputs.iter().map(|row| (Some(row.checksum()), row)).collect()
    }

    /// Commits a group; false if the fence is shut, and nothing was committed.
    pub(super) async fn commit(
        &self,
        connection: &mut PgConnection,
        shard: &str,
        epoch: u64,
        group: &Group,
    ) -> Result<bool, sqlx::Error> {
        if group.mended.is_empty() {
            return self.commit_within(&mut *connection, shard, epoch, group).await;
        }
        let mut transaction = connection.begin().await?;
        let is_open = self.commit_within(&mut transaction, shard, epoch, group).await?;
        rewrite(&mut transaction, shard, group.mended.iter().map(|row| (to_stored(row.id), row)))
            .await?;
        if is_open {
            transaction.commit().await?;
        }
        Ok(is_open)
    }

    async fn commit_within(
        &self,
        connection: &mut PgConnection,
        shard: &str,
        epoch: u64,
        group: &Group,
    ) -> Result<bool, sqlx::Error> {
        let (hubs, boot_ids): (Vec<&[u8]>, Vec<i64>) = group
            .positions
            .keys()
            .map(|(hub, boot_id)| (hub.as_bytes(), to_stored(*boot_id)))
            .unzip();
        let positions: Vec<i64> = group.positions.values().map(|at| to_stored(*at)).collect();
        let query = sqlx::query(COMMIT).bind(shard).bind(to_stored(epoch));
        let query = query.bind(to_stored(group.after)).bind(to_stored(group.last_id()));
        let query = bind_columns!(query, self).bind(hubs).bind(boot_ids).bind(positions);
        // All of the answer is read, and with it that the transaction has ended: a row alone comes before it has.
        let answer = query.bind(to_stored(group.received_ms)).fetch_all(connection).await?;
        let count = answer.first().map(|row| row.try_get::<i64, _>(0)).transpose()?;
        Ok(count == Some(1))
    }
}

impl<'a> FromIterator<(Option<i64>, &'a StoredRow)> for Columns<'a> {
    fn from_iter<T: IntoIterator<Item = (Option<i64>, &'a StoredRow)>>(rows: T) -> Self {
        let mut columns = Columns::default();
        for (checksum, row) in rows {
            columns.ids.push(to_stored(row.id));
            columns.received_ms.push(to_stored(row.received_ms));
            columns.kinds.push(&row.kind);
            columns.hubs.push(row.hub.as_deref().map(str::as_bytes));
            columns.boot_ids.push(row.boot_id.map(to_stored));
            columns.sequences.push(row.sequence.map(to_stored));
            columns.tables.push(row.table.as_deref().map(str::as_bytes));
            columns.match_ids.push(row.match_id.as_deref().map(str::as_bytes));
            columns.payloads.push(&row.payload);
            columns.checksums.push(checksum);
        }
        columns
    }
}

async fn rewrite<'a>(
    connection: &mut PgConnection,
    shard: &str,
    rows: impl Iterator<Item = (i64, &'a StoredRow)>,
) -> Result<(), sqlx::Error> {
    let (places, rows): (Vec<i64>, Vec<&StoredRow>) = rows.unzip();
    let columns: Columns<'_> = rows.into_iter().map(|row| (Some(row.checksum()), row)).collect();
    let query = sqlx::query(REWRITE).bind(shard).bind(&places);
    bind_columns!(query, &columns).execute(connection).await.map(drop)
}

async fn insert(
    connection: &mut PgConnection,
    shard: &str,
    columns: &Columns<'_>,
) -> Result<(), sqlx::Error> {
    bind_columns!(sqlx::query(INSERT).bind(shard), columns).execute(connection).await.map(drop)
}

/// Writes what a look through the log found to be wrong; false if the fence is shut, and nothing was written.
pub(super) async fn mend(
    connection: &mut PgConnection,
    shard: &str,
    epoch: u64,
    mend: &Mend,
) -> Result<bool, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let ids = mend.rewritten.iter().map(|(_, row)| row).chain(&mend.appended).map(|row| row.id);
    let moved = "UPDATE shard SET last_id = GREATEST(last_id, $3) WHERE name = $1 AND epoch = $2";
    let moved = sqlx::query(moved).bind(shard).bind(to_stored(epoch));
    let moved = moved.bind(to_stored(ids.max().unwrap_or(0))).execute(&mut *transaction).await?;
    if moved.rows_affected() != 1 {
        return Ok(false);
    }
    let rewritten = mend.rewritten.iter().map(|(place, row)| (*place, row));
    rewrite(&mut transaction, shard, rewritten).await?;
    let appended = mend.appended.iter().map(|row| (Some(row.checksum()), row)).collect();
    insert(&mut transaction, shard, &appended).await?;
    for ((hub, boot_id), sequence) in &mend.positions {
        let statement = match sequence {
            0 => {
                "DELETE FROM hub_position WHERE shard = $1 AND hub = $2 AND boot_id = $3 AND $4 = 0::BIGINT"
            }
            _ => {
                "INSERT INTO hub_position (shard, hub, boot_id, sequence, seen_ms) VALUES ($1, $2, $3, $4, 0) \
                 ON CONFLICT (shard, hub, boot_id) DO UPDATE SET sequence = excluded.sequence"
            }
        };
        let query = sqlx::query(statement).bind(shard).bind(hub.as_bytes());
        let query = query.bind(to_stored(*boot_id)).bind(to_stored(*sequence));
        query.execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

/// Fills an empty log with another, in one transaction.
pub(super) async fn fill(
    server: &Server,
    connection: &mut PgConnection,
    epoch: u64,
    from: &mut Filling<'_>,
) -> Result<(), StoreError> {
    let of = |error| server.named(error);
    let mut transaction = connection.begin().await.map_err(of)?;
    let mut last_id = 0;
    loop {
        let rows = from.next().await?;
        let Some((_, last)) = rows.last() else { break };
        last_id = last.id;
        let columns = rows.iter().map(|(checksum, row)| (*checksum, row)).collect();
        insert(&mut transaction, &server.shard, &columns).await.map_err(of)?;
    }
    let Beside { positions, unchecked_until } = from.end().await?;
    for BootPosition { boot: (hub, boot_id), sequence, seen_ms } in positions {
        sqlx::query("INSERT INTO hub_position (shard, hub, boot_id, sequence, seen_ms) VALUES ($1, $2, $3, $4, $5)")
            .bind(&server.shard)
            .bind(hub.as_bytes())
            .bind(to_stored(boot_id))
            .bind(to_stored(sequence))
            .bind(to_stored(seen_ms))
            .execute(&mut *transaction)
            .await
            .map_err(of)?;
    }
    let moved = sqlx::query(
        "UPDATE shard SET last_id = $3, unchecked_until = $4 WHERE name = $1 AND epoch = $2 AND last_id = 0",
    );
    let moved = moved.bind(&server.shard).bind(to_stored(epoch)).bind(to_stored(last_id));
    let moved = moved.bind(to_stored(unchecked_until)).execute(&mut *transaction).await;
    if moved.map_err(of)?.rows_affected() != 1 {
        return Err(lease::refusal(server, &mut transaction, epoch).await);
    }
    transaction.commit().await.map_err(of)
}
