//! What a table is told by the ports of its nodes, by levers on the hub's pins, and by directors.

use proto::link::{CommandOutcome, HubTime};
use rules::BoardId;

use crate::journal::NodeOffset;
use crate::journal_line::{NodeState, TimedReading};
use crate::orders::Order;
use crate::request::Naming;

/// Inputs that may wait for a table; then its ports stop reading, and its nodes keep their events.
pub const INPUTS_MAX: usize = 256;

/// What a table is told from outside.
#[derive(Clone, Debug)]
pub enum NodeInput {
    /// A node read something.
    Readings {
        /// The board it belongs to.
        board: BoardId,
        /// What it read, in order of time.
        readings: Vec<TimedReading>,
        /// What to acknowledge when this is committed.
        offset: Option<NodeOffset>,
    },
    /// All that a node read before a time has been told.
    Watermark {
        /// The node.
        node_id: String,
        /// Until when.
        until: HubTime,
    },
    /// A node came, went, or is not to be trusted.
    State {
        /// The node.
        node_id: String,
        /// The board it belongs to.
        board: BoardId,
        /// When.
        at: HubTime,
        /// How it is now.
        state: NodeState,
        /// What happened, in words.
        detail: String,
    },
    /// What directors want to happen at the table.
    Order(Order),
    /// How a node names the command of an order.
    Named {
        /// The order.
        order_id: u64,
        /// Its name, if it has one.
        naming: Naming,
    },
    /// How the command of an order ended.
    Commanded {
        /// The order.
        order_id: u64,
        /// How.
        outcome: CommandOutcome,
    },
}
