//! One line of the log.

/// Kind of an input.
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
    /// Act of a person; the payload is the act as JSON.
    Act,
    /// An input that this machine's disk has damaged; the payload is what was found, and nothing comes of it.
    Damaged,
}

impl InputKind {
    pub(super) const ALL: [InputKind; 8] = [
        InputKind::Row,
        InputKind::HubState,
        InputKind::LinkUp,
        InputKind::LinkDown,
        InputKind::Deadline,
        InputKind::RowsLost,
        InputKind::Act,
        InputKind::Damaged,
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
            InputKind::Damaged => "damaged",
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
    /// Kind of the input.
    pub kind: InputKind,
    /// The hub it concerns, if any.
    pub hub: Option<String>,
    /// The match it concerns, if any.
    pub match_id: Option<String>,
    /// Its content, by kind.
    pub payload: Vec<u8>,
}

/// Size of an input beside its payload: its place in the table and its indices.
pub(super) const INPUT_OVERHEAD_BYTES: u64 = 64;

/// Bytes that an input of a hub or a device counts.
#[must_use]
pub fn weight(payload: &[u8]) -> u64 {
    payload.len() as u64 + INPUT_OVERHEAD_BYTES
}

/// A committed input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Number in the log, from 1, without holes.
    pub id: u64,
    /// Time at which the adjudicator received it, Unix milliseconds of this machine.
    pub received_ms: u64,
    /// Kind of the input.
    pub kind: InputKind,
    /// The hub it came from or concerns.
    pub hub: Option<String>,
    /// The match it concerns, if known without decoding.
    pub match_id: Option<String>,
    /// Its content, by kind.
    pub payload: Vec<u8>,
}

impl Input {
    /// Bytes that it counts in the share of its hub or device.
    #[must_use]
    pub fn weight(&self) -> u64 {
        weight(&self.payload)
    }
}
