//! The times of a ply in reports: its first piece was touched, its last piece was let go of.

/// When the first piece of a ply was touched and its last one let go of, microseconds since the trace began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moments {
    pub(crate) touched_us: Option<u64>,
    pub(crate) released_us: Option<u64>,
}
