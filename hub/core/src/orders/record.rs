//! What the journal keeps of an order.

use proto::link::CommandName;
use proto::mqtt::message::OrderOutcome;

/// What an order is about, and what has to be known of it after a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// A clock: the node, the name of its command there and the command, encoded as [`crate::orders`] has it.
    Clock {
        /// The node.
        node_id: String,
        /// The command's name at the node.
        name: CommandName,
        /// The command, as JSON.
        command: String,
    },
    /// A fact: its line.
    Fact(String),
    /// The fact of another order is none.
    FactWithdrawn(u64),
    /// Nothing was begun.
    Refused,
}

/// An order as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRecord {
    /// Names it for ever.
    pub id: u64,
    /// The match.
    pub match_id: String,
    /// What it is about.
    pub kind: OrderKind,
    /// How it ended.
    pub ended: Option<OrderOutcome>,
}
