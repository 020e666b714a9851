//! What comes to a table, and what it wants done.

use proto::link::HubTime;

use super::{Job, Reviewed};
use crate::input::NodeInput;
use crate::journal::{Entry, NodeOffset};
use crate::notice::Notice;
use crate::request::NodeRequest;

/// What comes to a table.
#[derive(Debug)]
pub enum TableInput {
    /// From a port, a lever or a director.
    Node(NodeInput),
    /// The journal has committed the first of the entries in flight.
    Committed,
    /// What came of the last [`TableOutput::LookUp`].
    Reviewed(Reviewed),
}

/// What a table wants done.
#[derive(Debug)]
pub enum TableOutput {
    /// Give this to the journal, behind what was given before; say [`TableInput::Committed`] when it is on the disk.
    Commit(Box<Entry>),
    /// Everything that any of the table's nodes read before this time is wanted.
    RequestWatermark(HubTime),
    /// The journal has a node's readings up to here.
    Acknowledge(NodeOffset),
    /// A node is asked something. If that is lost, it is asked again.
    Ask(NodeRequest),
    /// Something is to be looked up in the journal, beside the table: it waits for nothing meanwhile.
    LookUp(Job),
    /// A message for whoever looks after the hall.
    Notice(Notice),
}
