//! An order in the journal.

use proto::link::CommandName;
use proto::mqtt::message::OrderOutcome;

/// Content of an order, and its state for a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderKind {
    /// A command to a clock or a board: the node, the name of its command there and the command, encoded as [`crate::orders`] has it.
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
    /// Its content.
    pub kind: OrderKind,
    /// Its outcome.
    pub ended: Option<OrderOutcome>,
}
