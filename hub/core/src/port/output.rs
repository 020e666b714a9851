//! What comes to a port, and what it wants done.

use proto::link::HubTime;

use crate::drivers::{ConnectionState, Transport};
use crate::input::NodeInput;
use crate::journal::NodeOffset;
use crate::notice::Notice;
use crate::request::NodeRequest;

/// What comes to a port.
#[derive(Debug)]
pub enum PortInput<'a> {
    /// The line was opened; how it carries bytes.
    Opened(Transport),
    /// It could not be.
    NotOpened(OpenProblem),
    /// Bytes came.
    Received(&'a [u8]),
    /// The line is gone: why, in words.
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
    /// A table has kept the port waiting: nobody was heard meanwhile because nobody listened.
    Waited,
    /// The hub stops.
    Stop,
    /// Time has passed.
    Time,
}

/// Why a line could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenProblem {
    /// There is no such device.
    Absent,
    /// Another port of this hub has the device, under another of its names.
    Elsewhere,
    /// Something else, in words that say what to do.
    Other(String),
}

/// What a port wants done.
#[derive(Debug)]
pub enum PortOutput {
    /// Open the line, as [`super::Port::line`] says.
    Open,
    /// Close it.
    Close,
    /// The device of a port that was found is gone: the port is of no use any more.
    End,
    /// A table is to be told something.
    ToTable {
        /// The table.
        table: String,
        /// What.
        input: NodeInput,
    },
    /// A device has left, and its table has heard all that it said here: [`super::Registry::take_back`] is to be told, so that another
    /// port may speak for it. Were it told earlier, what the device says there could overtake what it said here.
    Left(Box<Left>),
    /// This is to be kept of a device on disk, instead of what was kept before.
    Persist {
        /// The device.
        node_id: String,
        /// What.
        text: String,
    },
    /// A message for whoever looks after the hall.
    Notice(Notice),
}

/// A device that has left a port.
#[derive(Debug)]
pub struct Left {
    pub(super) node_id: String,
    /// The run of it that was here.
    pub(super) boot_id: Option<u32>,
    /// What is kept of the connection; without it the next one begins with what the journal and the disk have.
    pub(super) state: Option<ConnectionState>,
}
