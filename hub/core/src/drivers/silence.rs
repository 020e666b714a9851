//! Boards of other makers keep nothing for the hub. A board that had no power, or whose cable was out, does not report that later. What changed
//! meanwhile must not look as if it happened now, nor what changed there and back as if it had not happened.

use proto::link::HubTime;

/// Without a word for this long changes may have been missed, in µs of wall time: boards say something, or are asked, once a second at least.
const SILENT_US: u64 = 2_000_000;

/// Time of a board's last bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastHeard {
    at: Option<HubTime>,
    /// Seconds of hub time in a second of wall time.
    pub(super) rate: f64,
}

impl LastHeard {
    /// No bytes have come.
    pub(super) const NEVER: LastHeard = LastHeard { at: None, rate: 1.0 };

    /// Records bytes of the board. `true` if it was silent before.
    pub(super) fn note(&mut self, now: HubTime) -> bool {
        let before = self.at.replace(now);
        before.is_some_and(|at| now.micros_since(at) as f64 > SILENT_US as f64 * self.rate)
    }

    /// Forgets the last bytes: they came before the line was opened again.
    pub(super) fn forget(&mut self) {
        self.at = None;
    }
}
