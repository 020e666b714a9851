//! When referees' deadlines fall, by a clock that nobody can set.
//!
//! The log has the times of this machine's clock, which may be set while a deadline is pending. A deadline gets its moment when it is
//! first seen, and never waits longer than the match time that lies before it.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::hall::Deadline;

/// A deadline with its moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Due {
    /// The moment.
    pub(crate) at: Instant,
    /// The deadline.
    pub(crate) deadline: Deadline,
}

/// Moments of the pending deadlines.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// By match.
    pending: HashMap<String, Due>,
    /// Deadlines in the log whose matches have not changed since, by match: they are not logged again.
    logged: HashMap<String, Deadline>,
}

impl Deadlines {
    /// The deadline that falls first. `all`: those of all matches; `now` and `now_ms`: the same moment by both clocks.
    pub(crate) fn next(&mut self, all: &[Deadline], now: Instant, now_ms: u64) -> Option<Due> {
        let mut before = std::mem::take(&mut self.pending);
        let mut logged = std::mem::take(&mut self.logged);
        for deadline in all {
            let id = &deadline.match_id;
            if let Some(logged) = logged.remove(id).filter(|logged| logged == deadline) {
                self.logged.insert(id.clone(), logged);
                continue;
            }
            let known = before.remove(id).filter(|known| known.deadline == *deadline);
            let due = known.unwrap_or_else(|| {
                let wait_ms = deadline.at_ms.saturating_sub(now_ms).min(deadline.wait_ms);
                Due { at: now + Duration::from_millis(wait_ms), deadline: deadline.clone() }
            });
            self.pending.insert(id.clone(), due);
        }
        let key = |due: &&Due| (due.at, due.deadline.opened_input);
        self.pending.values().min_by_key(key).cloned()
    }

    /// Notes that a deadline is in the log.
    pub(crate) fn logged(&mut self, due: Due) {
        self.logged.insert(due.deadline.match_id.clone(), due.deadline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_700_000_000_000;
    const HOUR_MS: u64 = 3_600_000;

    fn deadline(at_ms: u64) -> Deadline {
        let (match_id, t_us) = ("m1".to_owned(), 5_000_000);
        Deadline { match_id, t_us, at_ms, wait_ms: 3_000, opened_input: 1, changed_input: 7 }
    }

    /// How long the only deadline waits, milliseconds.
    fn wait_ms(deadlines: &mut Deadlines, at_ms: u64, now: Instant, now_ms: u64) -> u128 {
        let due = deadlines.next(&[deadline(at_ms)], now, now_ms).unwrap();
        due.at.saturating_duration_since(now).as_millis()
    }

    #[test]
    fn a_deadline_waits_for_what_is_left_of_it() {
        let (mut deadlines, now) = (Deadlines::default(), Instant::now());
        assert_eq!(wait_ms(&mut deadlines, NOW_MS + 1_000, now, NOW_MS), 1_000);
        assert_eq!(deadlines.next(&[], now, NOW_MS), None);
        assert_eq!(wait_ms(&mut deadlines, NOW_MS - 1_000, now, NOW_MS), 0, "it has passed");
    }

    #[test]
    fn a_clock_that_is_set_moves_no_deadline() {
        for set_ms in [NOW_MS - HOUR_MS, NOW_MS + HOUR_MS] {
            let (mut deadlines, now) = (Deadlines::default(), Instant::now());
            assert_eq!(wait_ms(&mut deadlines, NOW_MS + 2_000, now, NOW_MS), 2_000);
            assert_eq!(wait_ms(&mut deadlines, NOW_MS + 2_000, now, set_ms), 2_000);
        }
    }

    #[test]
    fn a_deadline_of_before_a_clock_was_set_back_waits_its_match_time() {
        let (mut deadlines, now) = (Deadlines::default(), Instant::now());
        assert_eq!(wait_ms(&mut deadlines, NOW_MS + 3_000, now, NOW_MS - HOUR_MS), 3_000);
    }

    #[test]
    fn a_deadline_that_changed_nothing_is_logged_once() {
        let (mut deadlines, now) = (Deadlines::default(), Instant::now());
        let due = deadlines.next(&[deadline(NOW_MS)], now, NOW_MS).unwrap();
        deadlines.logged(due);
        assert_eq!(deadlines.next(&[deadline(NOW_MS)], now, NOW_MS), None);
        let changed = Deadline { changed_input: 8, ..deadline(NOW_MS) };
        assert!(deadlines.next(&[changed], now, NOW_MS).is_some(), "the match has changed");
    }
}
