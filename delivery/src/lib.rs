//! Rows from the journals of hubs to the store of the adjudicator: every row once, each boot in order, whatever breaks in between.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Sender`] | the hub's end: keeps a window of rows in flight until the adjudicator acknowledges them |
//! | [`Receiver`] | the adjudicator's end: groups messages into commits, and acknowledges committed rows only |
//! | [`Accepted`] | the rows of a message that the store takes: the next ones of a boot, each once |
//! | [`Outbox`] | the downlink: directors' orders, sent until a hub answers |
//! | [`Transmit`] | a message for the MQTT client |
//!
//! ```
//! // The store has a boot up to row 4; a resent message begins with row 3.
//! let accepted = delivery::accept(4, 0, &[3, 4, 5, 6]);
//! assert_eq!((accepted.position, accepted.duplicates, accepted.gap), (6, 2, false));
//! // Row 8 without row 7 is a gap: it is not accepted.
//! assert!(delivery::accept(6, 0, &[8]).gap);
//! ```
//!
//! Both ends are sans-IO: a shell with a connection, a disk and a clock passes inputs in, polls for work, and reports when it
//! is done. So the programs of a hall and its simulation run the same decisions. The broker between them is not trusted: it may
//! lose, repeat and delay messages.
#![warn(missing_docs)]

mod accept;
mod outbox;
mod receiver;
mod row;
pub mod sender;

pub use accept::{Accepted, accept};
pub use outbox::{Due, Moment, ORDER_LIFE_MS, ORDERS_MAX, Outbox, Unanswered};
pub use receiver::{
    Committed, GROUP_MESSAGES_MAX, Position, RECEIVED_MAX, ReceivedEvent, Receiver,
    ReceiverSettings, Work,
};
pub use row::JournalRow;
pub use sender::{
    ACKNOWLEDGEMENT_TIMEOUT, Answer, HubReport, Note, Query, Sender, SenderEvent, SenderSettings,
};

/// An output for the MQTT client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transmit {
    /// Ask the broker for messages, at least once each.
    Subscribe(Vec<String>),
    /// Publish at least once.
    Publish {
        /// The topic.
        topic: String,
        /// Whether the broker keeps it for those who come later.
        retain: bool,
        /// The encoded message.
        payload: Vec<u8>,
    },
}
