//! Measured times, and their summary.

use std::time::Duration;

/// Times of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The time that so large a part of all is not above.
    pub(crate) fn quantile(&self, part: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * part).round() as usize).copied().unwrap_or_default()
    }
}

impl Extend<Duration> for Times {
    fn extend<T: IntoIterator<Item = Duration>>(&mut self, times: T) {
        self.0.extend(times);
    }
}
