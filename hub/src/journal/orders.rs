//! Directors' orders in the journal.

use std::collections::BTreeSet;

use prost::Message as _;
use proto::link::CommandName;
use proto::mqtt::message::{OrderOutcome, Row, row::Event};
use sqlx::{Row as _, SqliteConnection};

use super::{JournalError, Reader};
use crate::orders::{OrderKind, OrderRecord};
use hub_core::journal::told_of;
use hub_core::review::KnownFacts;
use proto::mqtt::match_of;

/// Rows that are looked through at a time.
const PAGE: usize = 1_000;

/// Writes an order, or the outcome of one that the journal has.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    table: &str,
    order: &OrderRecord,
) -> Result<(), sqlx::Error> {
    let (kind, body, node) = match &order.kind {
        OrderKind::Clock { node_id, name, command } => {
            ("clock", command.clone(), Some((node_id, name)))
        }
        OrderKind::Fact(line) => ("fact", line.clone(), None),
        OrderKind::FactWithdrawn(of) => ("fact-withdrawn", of.to_string(), None),
        OrderKind::Refused => ("refused", String::new(), None),
    };
    sqlx::query(
        "INSERT INTO orders (order_id, position, table_name, match_id, kind, body, node_id, boot_id, request, ended)
         VALUES (?, (SELECT COALESCE(MAX(position), 0) + 1 FROM orders), ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (order_id) DO UPDATE SET ended = excluded.ended",
    )
    .bind(order.id.cast_signed())
    .bind(table)
    .bind(&order.match_id)
    .bind(kind)
    .bind(body)
    .bind(node.map(|(node_id, _)| node_id))
    .bind(node.map(|(_, name)| name.boot_id))
    .bind(node.map(|(_, name)| name.request))
    .bind(order.ended.map(|outcome| outcome as i32))
    .execute(&mut *connection)
    .await?;
    super::damage::stamp(connection, super::damage::ORDERS, order.id.cast_signed()).await
}

fn record(row: &sqlx::sqlite::SqliteRow) -> Result<OrderRecord, sqlx::Error> {
    let body: String = row.try_get("body")?;
    let kind = match row.try_get::<&str, _>("kind")? {
        "clock" => {
            let name =
                CommandName { boot_id: row.try_get("boot_id")?, request: row.try_get("request")? };
            OrderKind::Clock { node_id: row.try_get("node_id")?, name, command: body }
        }
        "fact" => OrderKind::Fact(body),
        "fact-withdrawn" => OrderKind::FactWithdrawn(body.parse().unwrap_or(0)),
        _ => OrderKind::Refused,
    };
    let ended: Option<i32> = row.try_get("ended")?;
    Ok(OrderRecord {
        id: row.try_get::<i64, _>("order_id")?.cast_unsigned(),
        match_id: row.try_get("match_id")?,
        kind,
        ended: ended.and_then(|outcome| OrderOutcome::try_from(outcome).ok()),
    })
}

impl Reader {
    /// The latest orders of a table, at most `limit`, oldest first.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn orders(
        &self,
        table: &str,
        limit: usize,
    ) -> Result<Vec<OrderRecord>, JournalError> {
        let rows =
            sqlx::query("SELECT * FROM orders WHERE table_name = ? ORDER BY position DESC LIMIT ?")
                .bind(table)
                .bind(i64::try_from(limit).unwrap_or(i64::MAX))
                .fetch_all(&self.pool)
                .await
                .map_err(|source| self.error(source))?;
        let records = rows.iter().rev().map(record).collect::<Result<_, _>>();
        records.map_err(|source| self.error(source))
    }

    /// Facts from people about a match.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn facts(&self, match_id: &str) -> Result<KnownFacts, JournalError> {
        let rows = sqlx::query(
            "SELECT * FROM orders WHERE match_id = ? AND kind IN ('fact', 'fact-withdrawn') ORDER BY position",
        )
        .bind(match_id)
        .fetch_all(&self.pool)
        .await
        .map_err(|source| self.error(source))?;
        let mut known = KnownFacts { said_anything: !rows.is_empty(), ..KnownFacts::default() };
        let mut taken_back = BTreeSet::new();
        for row in &rows {
            let order = record(row).map_err(|source| self.error(source))?;
            if order.ended.is_none() {
                known.open.push(order.id);
            }
            match order.kind {
                OrderKind::Fact(line) => known.lines.push((order.id, line)),
                OrderKind::FactWithdrawn(of) => {
                    taken_back.insert(of);
                }
                OrderKind::Clock { .. } | OrderKind::Refused => {}
            }
        }
        // A fact may come after it was taken back: its message was lost, and sent again.
        known.lines.retain(|(id, _)| !taken_back.contains(id));
        Ok(known)
    }

    /// Published rows of a match; none if the rows of its beginning were deleted.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub async fn told(&self, match_id: &str) -> Result<Vec<Event>, JournalError> {
        let mut told = self.told_whole(match_id).await?;
        told.retain(|event| {
            use Event::{AnomalyReported, AnomalyRetracted, PlyReported, PlyRetracted};
            matches!(
                event,
                PlyReported(_) | PlyRetracted(_) | AnomalyReported(_) | AnomalyRetracted(_)
            )
        });
        Ok(told)
    }

    /// The same with all other rows of the match.
    pub(super) async fn told_whole(&self, match_id: &str) -> Result<Vec<Event>, JournalError> {
        let (mut told, mut after) = (Vec::new(), 0);
        loop {
            let page = self.sent_rows_after(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(told_of(match_id, told)) };
            after = last.row.row_id;
            let rows = page.iter().filter_map(|sent| Row::decode(&sent.row.body[..]).ok()?.event);
            told.extend(rows.filter(|event| match_of(event) == Some(match_id)));
        }
    }
}
