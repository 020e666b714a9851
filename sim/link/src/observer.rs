//! Looking on at a run.

use proto::link::HostEvent;

/// Who does something, in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The node.
    Node,
    /// The hub.
    Hub,
    /// Whoever pulls cables.
    Fate,
}

/// Something the hub's session delivered.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// Virtual time of its arrival, µs.
    pub at_us: u64,
    /// What it is.
    pub event: &'a HostEvent,
    /// When the node that said it was started, µs of virtual time.
    pub node_started_us: u64,
    /// Node time that passes in a µs.
    pub node_rate: f64,
}

/// Looks on.
pub trait Observer {
    /// Whether [`Self::log`] is worth calling.
    fn is_reading_log(&self) -> bool {
        false
    }

    /// A line of the log.
    fn log(&mut self, _at_us: u64, _who: Who, _what: String) {}

    /// The hub heard something.
    fn heard(&mut self, _heard: Heard<'_>) {}
}

/// An observer that does not care.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {}
