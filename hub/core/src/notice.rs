//! Notices for the person who looks after the hall: made by a core, written to the log by the shell around it.

use std::time::Duration;

use proto::link::HubTime;

/// Interval between two notices of a lasting trouble, in wall time.
pub const REPEAT_EVERY: Duration = Duration::from_secs(30);

/// Level of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// For a developer who looks for a defect.
    Debug,
    /// A normal event.
    Info,
    /// A trouble that a person should look at.
    Warning,
    /// A trouble that stops recording until a person mends it.
    Error,
}

/// A message in plain words: what, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its level.
    pub level: Level,
    /// The node that it is about, by its id.
    pub node: Option<String>,
    /// The message.
    pub words: String,
}

impl Notice {
    /// A message about no node.
    pub fn new(level: Level, words: impl Into<String>) -> Notice {
        Notice { level, node: None, words: words.into() }
    }

    /// A message about a node.
    pub fn of_node(level: Level, node: &str, words: impl Into<String>) -> Notice {
        Notice { node: Some(node.to_owned()), ..Notice::new(level, words) }
    }
}

/// Filter of notices about a trouble: passes the first one, and then one for each interval.
#[derive(Debug, Default)]
pub struct LogThrottle {
    last: Option<(String, HubTime)>,
    /// Occurrences since then that were not reported.
    unreported: u64,
}

impl LogThrottle {
    /// Whether to report `message` now; if so, how many like it were left out before. `repeat_every` is in hub time.
    pub fn is_due(&mut self, message: &str, now: HubTime, repeat_every: Duration) -> Option<u64> {
        let repeat_us = repeat_every.as_micros();
        let due = self.last.as_ref().is_none_or(|(last, at)| {
            last != message || u128::from(now.micros_since(*at)) >= repeat_us
        });
        if !due {
            self.unreported += 1;
            return None;
        }
        self.last = Some((message.to_owned(), now));
        Some(std::mem::take(&mut self.unreported))
    }

    /// The trouble is over: the next one is new.
    pub fn clear(&mut self) {
        *self = LogThrottle::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::after;

    #[test]
    fn a_trouble_is_reported_when_it_is_new_and_then_now_and_then() {
        let start = HubTime::from_micros(5_000_000);
        let mut throttle = LogThrottle::default();
        let mut due = |message: &str, at| throttle.is_due(message, at, REPEAT_EVERY);
        assert_eq!(due("unplugged", start), Some(0));
        assert_eq!(due("unplugged", start), None);
        assert_eq!(due("unplugged", start), None);
        assert_eq!(due("unplugged", after(start, REPEAT_EVERY)), Some(2));
        assert_eq!(due("taken", after(start, REPEAT_EVERY)), Some(0));
        throttle.clear();
        assert_eq!(throttle.is_due("taken", after(start, REPEAT_EVERY), REPEAT_EVERY), Some(0));
    }
}
