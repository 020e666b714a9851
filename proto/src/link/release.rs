//! Schemas of earlier releases whose nodes a hub understands. A hall is not updated in one moment: the nodes of the release before
//! work on, and lack only what their schema lacks.

use super::{MessageType, SCHEMA_HASH};

/// Schema of an earlier release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierSchema {
    /// Its hash.
    pub hash: u32,
    /// Greatest number of a message from hub to node.
    pub last_request: u8,
}

/// The schemas of the release before this one, the newest first. A release appends the schema of the one before it, and drops what is
/// older.
pub const EARLIER_SCHEMAS: &[EarlierSchema] =
    &[EarlierSchema { hash: 0xcdec_5f58, last_request: MessageType::Command.number() }];

/// Whether a node of this schema knows a message from the hub.
pub fn knows(schema_hash: u32, request: MessageType) -> bool {
    let earlier = EARLIER_SCHEMAS.iter().find(|schema| schema.hash == schema_hash);
    earlier.map_or(schema_hash == SCHEMA_HASH, |schema| request.number() <= schema.last_request)
}

/// Whether this is the hash of an earlier schema.
pub(super) fn is_earlier(hash: u32) -> bool {
    EARLIER_SCHEMAS.iter().any(|schema| schema.hash == hash)
}
