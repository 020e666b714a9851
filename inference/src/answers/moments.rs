//! When the pieces of a ply were touched and let go of, as reports say it.

/// When a ply's first piece was touched and its last one let go of, microseconds since the trace began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moments {
    pub(crate) touched_us: Option<u64>,
    pub(crate) released_us: Option<u64>,
}
