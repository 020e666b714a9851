//! Inputs and outputs of a table.

use proto::link::HubTime;

use super::{Job, Reviewed};
use crate::input::NodeInput;
use crate::journal::{Entry, NodeOffset};
use crate::notice::Notice;
use crate::request::NodeRequest;

/// An input of a table.
#[derive(Debug)]
pub enum TableInput {
    /// From a port, a lever or a director.
    Node(NodeInput),
    /// The journal has committed the first of the entries in flight.
    Committed,
    /// Result of the last [`TableOutput::LookUp`].
    Reviewed(Reviewed),
}

/// An output of a table.
#[derive(Debug)]
pub enum TableOutput {
    /// An entry for the journal, behind the former ones; [`TableInput::Committed`] confirms that it is on the disk.
    Commit(Box<Entry>),
    /// Time before which all readings of the table's nodes are needed.
    RequestWatermark(HubTime),
    /// The journal has a node's readings up to here.
    Acknowledge(NodeOffset),
    /// A request to a node. A lost request is repeated.
    Ask(NodeRequest),
    /// A look-up in the journal, beside the table, which does not wait for it.
    LookUp(Job),
    /// A notice for the person who looks after the hall.
    Notice(Notice),
}
