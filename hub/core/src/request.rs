//! Requests to a node: from the adjudicator that wants it to be found, or from its table that has an order for it.

use std::sync::Arc;

use proto::link::{CommandName, Order};

use crate::update::NodeImages;

/// A request to one node. If the node is not connected the request is lost, and the sender repeats it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeRequest {
    /// Show yourself to a person.
    Identify {
        /// The node.
        node_id: String,
        /// For how long; 0 = stop.
        seconds: u8,
    },
    /// Update the firmware with one of these images. Ends with [`crate::port::PortOutput::Updated`].
    Update {
        /// The node.
        node_id: String,
        /// The images of the release.
        images: Arc<NodeImages>,
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
            | NodeRequest::Update { node_id, .. }
            | NodeRequest::Name { node_id, .. }
            | NodeRequest::Give { node_id, .. } => node_id,
        }
    }
}

/// A device's name for its next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Like this.
    Name(CommandName),
    /// The device cannot yet: another command is under way, or the device has sent nothing.
    NotNow,
    /// The device accepts no commands.
    Unsupported,
}
