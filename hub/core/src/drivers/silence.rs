//! Boards of other makers keep nothing for the hub: one that had no power, or whose cable was out, does not say so when it is heard again. What changed
//! meanwhile must not look as if it happened now, nor what changed there and back as if it had not happened.

use proto::link::HubTime;

/// Without a word for this long changes may have been missed, in µs of wall time: boards say something, or are asked, once a second at least.
const SILENT_US: u64 = 2_000_000;

/// When a board was heard last.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastHeard {
    at: Option<HubTime>,
    /// Seconds of hub time in a second of wall time.
    pub(super) rate: f64,
}

impl LastHeard {
    /// Nothing was heard.
    pub(super) const NEVER: LastHeard = LastHeard { at: None, rate: 1.0 };

    /// It was heard. Whether it was silent before.
    pub(super) fn note(&mut self, now: HubTime) -> bool {
        let before = self.at.replace(now);
        before.is_some_and(|at| now.micros_since(at) as f64 > SILENT_US as f64 * self.rate)
    }

    /// Whatever was heard was another time at the line.
    pub(super) fn forget(&mut self) {
        self.at = None;
    }
}
