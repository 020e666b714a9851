//! One line of the log.

use sqlx::{Row as _, sqlite::SqliteRow};

use super::from_stored;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A hub's row; the payload is its protobuf message.
    Row,
    /// A hub's birth or death; the payload is its protobuf message.
    HubState,
    /// The adjudicator reached the broker: what hubs say is heard from here on.
    LinkUp,
    /// The adjudicator lost the broker: nothing is heard from here on.
    LinkDown,
    /// A referee's deadline passed; the payload is the match time in microseconds, as decimal text.
    Deadline,
    /// Rows of a hub that will never come, because its journal no longer has them; the payload is boot, first and last sequence,
    /// as decimal text with spaces between.
    RowsLost,
    /// Something that a person did; the payload is the act as JSON.
    Act,
}

impl InputKind {
    const ALL: [InputKind; 7] = [
        InputKind::Row,
        InputKind::HubState,
        InputKind::LinkUp,
        InputKind::LinkDown,
        InputKind::Deadline,
        InputKind::RowsLost,
        InputKind::Act,
    ];

    /// The kind as stored.
    pub fn name(self) -> &'static str {
        match self {
            InputKind::Row => "row",
            InputKind::HubState => "hub-state",
            InputKind::LinkUp => "link-up",
            InputKind::LinkDown => "link-down",
            InputKind::Deadline => "deadline",
            InputKind::RowsLost => "rows-lost",
            InputKind::Act => "act",
        }
    }
}

/// A hub's row on its way into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRow {
    /// Consecutive within the boot, from 1.
    pub sequence: u64,
    /// The table it concerns.
    pub table: String,
    /// The match it concerns, if any.
    pub match_id: Option<String>,
    /// The row's protobuf message, as received.
    pub payload: Vec<u8>,
}

/// Any other input on its way into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInput {
    /// What it is.
    pub kind: InputKind,
    /// The hub it concerns, if any.
    pub hub: Option<String>,
    /// The match it concerns, if any.
    pub match_id: Option<String>,
    /// Its content, by kind.
    pub payload: Vec<u8>,
}

/// A committed input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Number in the log, from 1, without holes.
    pub id: u64,
    /// When the adjudicator received it, Unix milliseconds of this machine.
    pub received_ms: u64,
    /// What it is.
    pub kind: InputKind,
    /// The hub it came from or concerns.
    pub hub: Option<String>,
    /// The match it concerns, if known without decoding.
    pub match_id: Option<String>,
    /// Its content, by kind.
    pub payload: Vec<u8>,
}

impl Input {
    pub(super) fn from_row(row: &SqliteRow) -> Result<Input, sqlx::Error> {
        let kind: &str = row.try_get("kind")?;
        let kind =
            InputKind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(|| {
                sqlx::Error::Decode(format!("input kind {kind:?} is from another version").into())
            })?;
        Ok(Input {
            id: from_stored(row.try_get("id")?),
            received_ms: from_stored(row.try_get("received_ms")?),
            kind,
            hub: row.try_get("hub")?,
            match_id: row.try_get("match_id")?,
            payload: row.try_get("payload")?,
        })
    }
}
