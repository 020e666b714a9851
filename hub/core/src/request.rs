//! What a node is asked, by whoever has its place: the adjudicator that wants it to be found, or its table that has an order for it.

use proto::link::{CommandName, Order};

/// Something for one node; of a node that is not connected it is lost, and whoever wants it asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeRequest {
    /// Show yourself to a person.
    Identify {
        /// The node.
        node_id: String,
        /// For how long; 0 = stop.
        seconds: u8,
    },
    /// How would a command be named now? Answered with [`super::NodeInput::Named`].
    Name {
        /// The node.
        node_id: String,
        /// The order that it is for.
        order_id: u64,
    },
    /// Do this, under the name that is in the journal. Answered with [`super::NodeInput::Commanded`].
    Give {
        /// The node.
        node_id: String,
        /// The order that it is of.
        order_id: u64,
        /// The command's name.
        name: CommandName,
        /// The command.
        command: Order,
    },
}

impl NodeRequest {
    /// The node.
    #[must_use]
    pub fn node_id(&self) -> &str {
        match self {
            NodeRequest::Identify { node_id, .. }
            | NodeRequest::Name { node_id, .. }
            | NodeRequest::Give { node_id, .. } => node_id,
        }
    }
}

/// How a device names its next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Like this.
    Name(CommandName),
    /// It cannot yet: another one is under way, or nothing was heard of it.
    NotNow,
    /// It takes no commands.
    Unsupported,
}
