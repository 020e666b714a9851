//! A request that is made again and again, and not too often.

use crate::link::HubTime;

/// Shortest time between two requests of one kind, so that a broken line is not flooded, in µs.
pub const REQUEST_INTERVAL_US: u64 = 100_000;

/// A request that may be due, and when it was made last.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) due: bool,
    last: Option<HubTime>,
}

impl Request {
    /// One that is due at once.
    pub(super) const fn at_once() -> Self {
        Self { due: true, last: None }
    }

    /// Makes it due, unless it was made just now; whether it is.
    pub(super) fn raise(&mut self, now: HubTime) -> bool {
        let recent = self.last.is_some_and(|last| now.micros_since(last) < REQUEST_INTERVAL_US);
        if !recent {
            self.due = true;
            self.last = Some(now);
        }
        !recent
    }

    pub(super) fn take(&mut self) -> bool {
        core::mem::take(&mut self.due)
    }
}
