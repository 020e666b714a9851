//! Says a thing not too often.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How often the same is said.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// What was said, and how often it was not: somebody who knocks again and again must not fill the log.
#[derive(Default)]
pub(super) struct Said(Mutex<(Option<Instant>, u64)>);

impl Said {
    /// Whether it is time to say it; then how often it was not said since the last time.
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
