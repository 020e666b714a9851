//! Messages between hubs and the adjudicator over MQTT: protobuf and topics.
//!
//! The specification of the messages is `mqtt/twinboard.proto` beside this crate; [`message`] holds the types that are
//! made of it. MQTT 3.1.1 semantics only, so that every broker serves:
//!
//! | topic ([`Topic`]) | from | QoS | retained | message |
//! |---|---|---|---|---|
//! | `twinboard/1/{shard}/hub/{hub}/rows` | hub | 1 | no | [`message::Rows`] |
//! | `twinboard/1/{shard}/hub/{hub}/ack` | adjudicator | 1 | yes | [`message::Ack`], cumulative per boot |
//! | `twinboard/1/{shard}/hub/{hub}/state` | hub | 1 | yes | [`message::HubState`]: birth, and will |
//! | `twinboard/1/{shard}/hub/{hub}/command` | adjudicator | 1 | no | [`message::Command`] |
//! | `twinboard/1/adjudicator/{id}/state` | adjudicator | 1 | yes | [`message::AdjudicatorState`]: birth, and will |
//!
//! Client ids are bound to accounts where there are any: a hub's is [`hub_client_id`], and its account is its id. A broker ends
//! an earlier connection with the same client id, so no other client may use it.
//!
//! A PUBACK only means that the broker has a message. A hub keeps every row until an [`message::Ack`] covers it.
//!
//! Bytes from the network go through [`decode_rows`] (or [`decode`] for the small messages), which refuse what cannot be
//! delivered. [`check_row`] checks the content of a row before it is applied: a row of a later release is stored, and skipped
//! by programs that do not know it.

mod rows;
mod topic;

pub use rows::{
    CALL_BUTTON, MAX_CLIP_BYTES, MAX_PERIODS, MAX_QUESTIONS, MAX_ROWS, MAX_ROWS_BYTES,
    MAX_TEXT_BYTES, MAX_ZERO_PAIRS, NOT_FOLLOWED, ReceivedRows, RowsError, check_row, decode,
    decode_rows, encode_rows, match_of,
};
pub use topic::{
    ADJUDICATOR_CLIENT_PREFIX, MAX_SEGMENT_BYTES, Segment, SegmentError, Topic, TopicError,
    adjudicator_client_id, adjudicator_filter, hub_client_id, hub_filter, hub_rehearsal_client_id,
    rehearsal_shard,
};

/// Room around the rows in a packet, bytes: topic and header.
pub const PACKET_OVERHEAD_BYTES: usize = 1024;

/// The messages, as generated from `mqtt/twinboard.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod message {
    include!(concat!(env!("OUT_DIR"), "/twinboard.rs"));
}
