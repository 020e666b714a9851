//! A request that is made again and again, and not too often; and the questions whose answers prove who lives.

use heapless::Vec;

use crate::link::HubTime;

/// Shortest time between two requests of one kind, so that a broken line is not flooded, in µs.
pub const REQUEST_INTERVAL_US: u64 = 100_000;

/// Requests for HELLO whose answers are known again: the node answers the last one, and what a line holds back is seldom older.
const OPEN_MAX: usize = 4;

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

/// The numbers of the requests for HELLO made since the present boot was met. The boot that repeats one of them said so after the
/// request, when the present one had been met already: it lives now, and is no earlier one.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    open: Vec<u32, OPEN_MAX>,
}

impl Questions {
    /// Numbers a request that is made at `now`.
    pub(super) fn ask(&mut self, now: HubTime) {
        // Told from all others of the last hour, those of the hub's lives before this one included; 0 says nothing.
        let number = (now.as_micros() as u32).max(1);
        if self.open.is_full() {
            self.open.remove(0);
        }
        // There is room now.
        let _ = self.open.push(number);
    }

    /// What the next request is to carry; 0 when its answer will prove nothing.
    pub(super) fn latest(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        self.open.contains(&number)
    }

    /// Another boot was met: what was asked before proves nothing of those after it.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }
}
