//! Health of a part of the hub, for its lights and its heartbeat.

/// Health of a part of the hub, the better first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Health {
    /// All is well.
    #[default]
    Well,
    /// A node that has not connected since the start is still awaited.
    Waiting,
    /// The uplink is down; recorded rows are kept.
    Offline,
    /// Recorded readings are incomplete or doubtful.
    Impaired,
    /// Nothing can be recorded.
    Halted,
}

impl Health {
    /// All of them, in order.
    pub const ALL: [Health; 5] =
        [Health::Well, Health::Waiting, Health::Offline, Health::Impaired, Health::Halted];
}
