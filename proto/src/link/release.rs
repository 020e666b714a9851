//! Schemas of earlier releases whose nodes a hub understands. A hall is not updated in one moment: the nodes of the two releases before
//! work on, and lack only what their schemas lack.

use super::{MessageType, Order, SCHEMA_HASH};

/// Schema of an earlier release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierSchema {
    /// Its hash.
    pub hash: u32,
    /// Greatest number of a message from hub to node.
    pub last_request: u8,
    /// Number of its orders.
    pub orders: u8,
}

/// The schemas of the two releases before this one, the newest first. A release puts the schema of the one before it in front, and
/// drops what is older.
pub const EARLIER_SCHEMAS: &[EarlierSchema] = &[
    EarlierSchema { hash: 0xcdec_5f58, last_request: MessageType::Command.number(), orders: 6 },
    EarlierSchema { hash: 0x03d7_73b7, last_request: MessageType::Command.number(), orders: 5 },
];

/// Whether a node of this schema knows a message from the hub.
pub fn knows(schema_hash: u32, request: MessageType) -> bool {
    earlier(schema_hash)
        .map_or(schema_hash == SCHEMA_HASH, |schema| request.number() <= schema.last_request)
}

/// Whether a node of this schema knows an order. One that does not would leave the command unanswered.
pub fn knows_order(schema_hash: u32, order: &Order) -> bool {
    earlier(schema_hash)
        .map_or(schema_hash == SCHEMA_HASH, |schema| order.position() < schema.orders)
}

/// Whether this is the hash of an earlier schema.
pub(super) fn is_earlier(hash: u32) -> bool {
    earlier(hash).is_some()
}

fn earlier(hash: u32) -> Option<&'static EarlierSchema> {
    EARLIER_SCHEMAS.iter().find(|schema| schema.hash == hash)
}
