//! Inputs and outputs of a port.

use proto::link::HubTime;

use crate::drivers::{ConnectionState, Transport};
use crate::input::NodeInput;
use crate::journal::NodeOffset;
use crate::notice::Notice;
use crate::request::NodeRequest;
use crate::update::UpdateOutcome;

/// An input of a port.
#[derive(Debug)]
pub enum PortInput<'a> {
    /// The line was opened; how it carries bytes.
    Opened(Transport),
    /// The line could not be opened.
    NotOpened(OpenProblem),
    /// Bytes came.
    Received(&'a [u8]),
    /// The line is lost: the reason, in words.
    Lost(String),
    /// A node that is here is asked something.
    Request(NodeRequest),
    /// The journal has a node's readings up to here.
    Committed(NodeOffset),
    /// A table wants everything that its nodes here read before a time.
    WatermarkWanted {
        /// The table.
        table: &'a str,
        /// The time.
        at: HubTime,
    },
    /// A table has blocked the port: silence of its devices meanwhile has no meaning.
    Waited,
    /// The hub stops.
    Stop,
    /// Time has passed.
    Time,
}

/// Reason why a line could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenProblem {
    /// There is no such device.
    Absent,
    /// Another port of this hub has the device, under another of its names.
    Elsewhere,
    /// Another reason, in words that say what to do.
    Other(String),
}

/// An output of a port.
#[derive(Debug)]
pub enum PortOutput {
    /// Open the line, as [`super::Port::line`] says.
    Open,
    /// Close it.
    Close,
    /// The device of a port that was found was unplugged: the port can be dropped.
    End,
    /// An input for a table.
    ToTable {
        /// The table.
        table: String,
        /// What.
        input: NodeInput,
    },
    /// A device has left, and its table has received all its readings from here: call [`super::Registry::take_back`], so that another
    /// port may speak for it. After an earlier call the device's readings from there could overtake those from here.
    Left(Box<Left>),
    /// A device's text to be kept on disk, in place of the former one.
    Persist {
        /// The device.
        node_id: String,
        /// What.
        text: String,
    },
    /// An update of a node's firmware has ended.
    Updated {
        /// The node.
        node_id: String,
        /// The outcome.
        outcome: UpdateOutcome,
    },
    /// A notice for the person who looks after the hall.
    Notice(Notice),
}

/// A device that has left a port.
#[derive(Debug)]
pub struct Left {
    pub(super) node_id: String,
    /// The run of it that was here.
    pub(super) boot_id: Option<u32>,
    /// State of the connection; without it the next one begins from the journal and the disk.
    pub(super) state: Option<ConnectionState>,
}
