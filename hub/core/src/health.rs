//! How a part of the hub is, for its lights and its heartbeat.

/// How a part of the hub is, the better first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Health {
    /// All is well.
    #[default]
    Well,
    /// Something is still awaited that has not been there since the start.
    Waiting,
    /// Nothing goes out; what is recorded is kept.
    Offline,
    /// Something that is recorded is missing or doubtful.
    Impaired,
    /// Nothing can be recorded.
    Halted,
}

impl Health {
    /// All of them, in order.
    pub const ALL: [Health; 5] =
        [Health::Well, Health::Waiting, Health::Offline, Health::Impaired, Health::Halted];
}
