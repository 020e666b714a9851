//! Inputs of a table: from the ports of its nodes, from levers on the hub's pins, and from directors.

use proto::link::{CommandOutcome, HubTime};
use rules::BoardId;

use crate::journal::NodeOffset;
use crate::journal_line::{NodeState, TimedReading};
use crate::orders::Order;
use crate::request::Naming;

/// Inputs that may wait for a table; then its ports stop reading, and its nodes keep their events.
pub const INPUTS_MAX: usize = 256;

/// An input of a table from outside.
#[derive(Clone, Debug)]
pub enum NodeInput {
    /// A node read something.
    Readings {
        /// The board it belongs to.
        board: BoardId,
        /// Its readings, in order of time.
        readings: Vec<TimedReading>,
        /// Position to acknowledge when this is committed.
        offset: Option<NodeOffset>,
    },
    /// A node's watermark: all its readings before a time have come.
    Watermark {
        /// The node.
        node_id: String,
        /// The watermark's time.
        until: HubTime,
    },
    /// The error of a node's times has changed much.
    Timed {
        /// The node.
        node_id: String,
        /// The board it belongs to.
        board: BoardId,
        /// Largest error of a reading's time, microseconds.
        error_us: u32,
    },
    /// A node came, went, or is not to be trusted.
    State {
        /// The node.
        node_id: String,
        /// The board it belongs to.
        board: BoardId,
        /// Time of the change.
        at: HubTime,
        /// Its new state.
        state: NodeState,
        /// The event, in words.
        detail: String,
    },
    /// A director's order for the table.
    Order(Order),
    /// A node's name for the command of an order.
    Named {
        /// The order.
        order_id: u64,
        /// Its name, if it has one.
        naming: Naming,
    },
    /// Outcome of the command of an order.
    Commanded {
        /// The order.
        order_id: u64,
        /// The outcome.
        outcome: CommandOutcome,
    },
}
