//! The rows of several messages, committed in one turn of the database's thread.
//!
//! Each statement that is asked for by itself wakes the database's thread, and then the task that asked. A row took five of them; where the
//! disk is fast that was felt (`docs/latency.md`). So the positions of boots are remembered here, and a group is one text of statements, from
//! BEGIN to COMMIT.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
};

use delivery::{Accepted, accept};
use sqlx::{
    Arguments as _, AssertSqlSafe, Sqlite, SqliteConnection, encode::Encode,
    sqlite::SqliteArguments, types::Type,
};

use super::{
    Batch, Rows, position,
    stored_row::StoredRow,
    survey::{Behind, Boot},
    to_stored,
};
use crate::log::input::{InputKind, NewRow};

/// Boots whose positions are remembered: those of a large hall's hubs for some days. When there are more, the log is asked again.
const KNOWN_MAX: usize = 4_096;

/// A group of at most so many tuples is kept prepared: in a quiet hall most groups have the same few shapes.
const PREPARED_TUPLES_MAX: usize = 6;

/// So many inputs are one statement. SQLite looks for each named place among all of its statement: more of them take longer.
const STATEMENT_INPUTS_MAX: usize = 32;

/// Up to which sequence boots are committed, as far as it is remembered.
#[derive(Debug, Default)]
pub(super) struct Positions {
    known: HashMap<Boot, u64>,
}

impl Positions {
    async fn of(
        &mut self,
        connection: &mut SqliteConnection,
        hub: &str,
        boot_id: u64,
    ) -> Result<u64, sqlx::Error> {
        let key = (hub.to_owned(), boot_id);
        if let Some(&sequence) = self.known.get(&key) {
            return Ok(sequence);
        }
        let sequence = position(connection, hub, boot_id).await?;
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(key, sequence);
        Ok(sequence)
    }
}

/// Commits the rows of several messages; what became of each, and the number of the newest input.
///
/// After an error the connection may be within a transaction, and what is remembered of positions may be behind the log.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    remembered: &mut Rows,
    last_id: u64,
    received_ms: u64,
    batches: &[Batch<'_>],
) -> Result<(Vec<Accepted>, u64), sqlx::Error> {
    let mut group = Group::new(last_id, received_ms)?;
    let mut taken = Vec::with_capacity(batches.len());
    // Remembered once it is committed.
    let mut ahead: BTreeMap<Boot, u64> = BTreeMap::new();
    let mut begun: HashMap<&str, u64> = HashMap::new();
    for batch in batches {
        let boot = (batch.hub.to_owned(), batch.boot_id);
        let known = match ahead.get(&boot) {
            Some(&sequence) => sequence,
            None => remembered.positions.of(connection, batch.hub, batch.boot_id).await?,
        };
        let of_hub = begun.get(batch.hub).copied().unwrap_or_default();
        let batch = match known > 0 || remembered.quotas.may_begin(batch.hub, of_hub) {
            true => *batch,
            false => batch.without_rows(),
        };
        let sequences: Vec<u64> = batch.rows.iter().map(|row| row.sequence).collect();
        let accepted = accept(known, batch.first_available, &sequences);
        if accepted.is_news() {
            group.add(&batch, &accepted, remembered.behind.get(&boot))?;
            if known == 0 {
                *begun.entry(batch.hub).or_default() += 1;
            }
            ahead.insert(boot, accepted.position);
        }
        taken.push(accepted);
    }
    let last_id = group.commit(connection, &ahead).await?;
    remembered.positions.known.extend(ahead);
    begun.into_iter().for_each(|(hub, boots)| remembered.quotas.begin(hub, boots));
    Ok((taken, last_id))
}

/// What is committed together.
struct Group {
    statements: String,
    /// Inputs, and boots with a new position.
    tuples: usize,
    inputs: usize,
    arguments: SqliteArguments,
    /// The place of the time of receipt among the arguments.
    received: usize,
    received_ms: u64,
    last_id: u64,
}

impl Group {
    fn new(last_id: u64, received_ms: u64) -> Result<Group, sqlx::Error> {
        let (statements, arguments) = ("BEGIN IMMEDIATE".to_owned(), SqliteArguments::default());
        let mut group = Group {
            statements,
            tuples: 0,
            inputs: 0,
            arguments,
            received: 0,
            received_ms,
            last_id,
        };
        group.received = group.argument(to_stored(received_ms))?;
        Ok(group)
    }

    /// The place that a value has among the arguments.
    fn argument<'q, T: Encode<'q, Sqlite> + Type<Sqlite>>(
        &mut self,
        value: T,
    ) -> Result<usize, sqlx::Error> {
        self.arguments.add(value).map_err(sqlx::Error::Encode)?;
        Ok(self.arguments.len())
    }

    /// The rows of a message that are next, and what will never come before them.
    fn add(
        &mut self,
        batch: &Batch<'_>,
        accepted: &Accepted,
        behind: Option<&Behind>,
    ) -> Result<(), sqlx::Error> {
        let (hub, boot) = (self.argument(batch.hub)?, self.argument(to_stored(batch.boot_id))?);
        if let Some((first, last)) = accepted.lost {
            let payload = format!("{} {first} {last}", batch.boot_id).into_bytes();
            self.add_lost((batch.hub, hub), payload)?;
        }
        for sequence in accepted.taken() {
            let Some(row) = batch.rows.iter().find(|row| row.sequence == sequence) else {
                continue;
            };
            match behind {
                Some(behind) if behind.present.has(sequence) => {}
                Some(Behind { damaged, .. }) if damaged.contains_key(&sequence) => {
                    self.mend_row(damaged[&sequence], batch, row)?;
                }
                _ => self.add_row(batch, (hub, boot), row)?,
            }
        }
        Ok(())
    }

    fn add_lost(
        &mut self,
        (name, hub): (&str, usize),
        payload: Vec<u8>,
    ) -> Result<(), sqlx::Error> {
        let lost = StoredRow {
            id: self.last_id + 1,
            received_ms: self.received_ms,
            kind: InputKind::RowsLost.name().to_owned(),
            hub: Some(name.to_owned()),
            payload,
            ..StoredRow::default()
        };
        let (kind, checksum) =
            (self.argument(InputKind::RowsLost.name())?, self.argument(lost.checksum())?);
        let payload = self.argument(lost.payload)?;
        self.add_input(format_args!(
            "${kind}, ${hub}, NULL, NULL, NULL, NULL, ${payload}, ${checksum}"
        ))
    }

    fn add_row(
        &mut self,
        batch: &Batch<'_>,
        (hub, boot): (usize, usize),
        row: &NewRow,
    ) -> Result<(), sqlx::Error> {
        let checksum = self.stored(self.last_id + 1, batch, row).checksum();
        let sequence = self.argument(to_stored(row.sequence))?;
        let (table, of_match) =
            (self.argument(row.table.as_str())?, self.argument(row.match_id.as_deref())?);
        let (payload, checksum) =
            (self.argument(row.payload.as_slice())?, self.argument(checksum)?);
        self.add_input(format_args!(
            "'row', ${hub}, ${boot}, ${sequence}, ${table}, ${of_match}, ${payload}, ${checksum}"
        ))
    }

    fn stored(&self, id: u64, batch: &Batch<'_>, row: &NewRow) -> StoredRow {
        StoredRow {
            id,
            received_ms: self.received_ms,
            kind: InputKind::Row.name().to_owned(),
            hub: Some(batch.hub.to_owned()),
            boot_id: Some(batch.boot_id),
            sequence: Some(row.sequence),
            table: Some(row.table.clone()),
            match_id: row.match_id.clone(),
            payload: row.payload.clone(),
        }
    }

    /// A row that is damaged in the log has come again: it takes its place.
    fn mend_row(&mut self, id: u64, batch: &Batch<'_>, row: &NewRow) -> Result<(), sqlx::Error> {
        let checksum = self.stored(id, batch, row).checksum();
        let (id, received) = (self.argument(to_stored(id))?, self.received);
        let (table, of_match) =
            (self.argument(row.table.as_str())?, self.argument(row.match_id.as_deref())?);
        let (payload, checksum) =
            (self.argument(row.payload.as_slice())?, self.argument(checksum)?);
        self.state(format_args!(
            "; UPDATE input SET kind = 'row', received_ms = ${received}, table_name = ${table}, match_id = ${of_match}, \
             payload = ${payload}, checksum = ${checksum} WHERE id = ${id}"
        ));
        // What is put in behind this begins a statement of its own.
        self.inputs = self.inputs.next_multiple_of(STATEMENT_INPUTS_MAX);
        Ok(())
    }

    fn add_input(&mut self, places: std::fmt::Arguments<'_>) -> Result<(), sqlx::Error> {
        self.last_id += 1;
        let (id, received) = (self.argument(to_stored(self.last_id))?, self.received);
        let before = match self.inputs % STATEMENT_INPUTS_MAX {
            0 => {
                "; INSERT INTO input (id, received_ms, kind, hub, boot_id, sequence, table_name, match_id, payload, checksum) VALUES"
            }
            _ => ",",
        };
        self.inputs += 1;
        self.state(format_args!("{before} (${id}, ${received}, {places})"));
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

    /// Commits what there is, and the positions of the boots that it is about; the number of the newest input.
    async fn commit(
        mut self,
        connection: &mut SqliteConnection,
        positions: &BTreeMap<Boot, u64>,
    ) -> Result<u64, sqlx::Error> {
        if positions.is_empty() {
            return Ok(self.last_id);
        }
        for (boot, &position) in positions {
            self.set_position(boot, position)?;
        }
        self.statements.push_str("; COMMIT");
        // Nothing that a hub said is in the text: it has numbered places, and the values are bound to them.
        sqlx::query_with(AssertSqlSafe(self.statements), self.arguments)
            .persistent(self.tuples <= PREPARED_TUPLES_MAX)
            .execute(connection)
            .await?;
        Ok(self.last_id)
    }
}
