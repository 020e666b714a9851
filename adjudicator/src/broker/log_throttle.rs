//! A limit for repeated log lines.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Minimum interval between two lines of one kind.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// The last line of each kind, and the number suppressed since: a client that connects again and again must not fill the log.
#[derive(Default)]
pub(super) struct ThrottledLines(Mutex<(Option<Instant>, u64)>);

impl ThrottledLines {
    /// The number of lines suppressed since the last one, if another may be logged now.
    pub(super) fn is_due(&self) -> Option<u64> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, unsaid) = &mut *said;
        if at.is_some_and(|at| at.elapsed() < REPORT_EVERY) {
            *unsaid += 1;
            return None;
        }
        *at = Some(Instant::now());
        Some(std::mem::take(unsaid))
    }
}
