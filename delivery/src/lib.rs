//! Rows from the journals of hubs to the store of the adjudicator: every row once, each boot in order, whatever breaks in between.
//!
//! Both ends are here, and neither does input or output: whoever has a connection, a disk and a clock tells them what came, asks
//! them what to do next, and says when it is done. So the programs of a hall and its simulation run the same decisions.
//!
//! * A [`Sender`] keeps a window of the journal's queue on its way, until the adjudicator says that it has the rows.
//! * A [`Receiver`] groups what came into commits, and acknowledges what is committed, never more.
//! * An [`Outbox`] sends down what directors order, until a hub answers.
//! * [`accept`] is the rule by which a store takes rows: the next ones of a boot, and nothing twice.
//!
//! The broker between them is trusted with nothing: it may forget, repeat, and put its word of delivery where it likes.
#![warn(missing_docs)]

mod accept;
mod outbox;
mod receiver;
mod row;
pub mod sender;

pub use accept::{Accepted, accept};
pub use outbox::{Due, Moment, ORDER_LIFE_MS, ORDERS_MAX, Outbox, Unanswered};
pub use receiver::{
    Committed, GROUP_MESSAGES_MAX, HEARD_MAX, Position, ReceivedEvent, Receiver, ReceiverSettings,
    Work,
};
pub use row::JournalRow;
pub use sender::{
    ACKNOWLEDGEMENT_TIMEOUT, Answer, Note, Query, Sender, SenderEvent, SenderSettings,
};

/// What is to be handed to the MQTT client.
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
