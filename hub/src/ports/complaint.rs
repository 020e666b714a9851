//! Messages about a port that is in trouble: at once when the trouble is new, then now and then.

use std::time::Duration;

use tokio::time::Instant;

/// How often a trouble that lasts is reported again.
pub(super) const REPEAT_EVERY: Duration = Duration::from_secs(30);

/// What was said last about a port, and when.
#[derive(Debug, Default)]
pub(super) struct Complaint {
    last: Option<(String, Instant)>,
    /// Occurrences since then that were not reported.
    unreported: u64,
}

impl Complaint {
    /// Whether to report `message` now; if so, how many like it were left out before.
    pub(super) fn is_due(&mut self, message: &str, now: Instant) -> Option<u64> {
        let due = self.last.as_ref().is_none_or(|(last, at)| {
            last != message || now.saturating_duration_since(*at) >= REPEAT_EVERY
        });
        if !due {
            self.unreported += 1;
            return None;
        }
        self.last = Some((message.to_owned(), now));
        Some(std::mem::take(&mut self.unreported))
    }

    /// The trouble is over: the next one is new.
    pub(super) fn clear(&mut self) {
        *self = Complaint::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_trouble_is_reported_when_it_is_new_and_then_now_and_then() {
        let start = Instant::now();
        let mut complaint = Complaint::default();
        assert_eq!(complaint.is_due("unplugged", start), Some(0));
        assert_eq!(complaint.is_due("unplugged", start), None);
        assert_eq!(complaint.is_due("unplugged", start), None);
        assert_eq!(complaint.is_due("unplugged", start + REPEAT_EVERY), Some(2));
        assert_eq!(complaint.is_due("taken", start + REPEAT_EVERY), Some(0));
        complaint.clear();
        assert_eq!(complaint.is_due("taken", start + REPEAT_EVERY), Some(0));
    }
}
