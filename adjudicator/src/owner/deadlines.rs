//! Referees' deadlines, by a clock that cannot be set.
//!
//! The log has the times of this machine's clock, which may be set while a deadline is pending. A deadline gets its moment when it is
//! first seen, and never waits longer than the match time that lies before it.

use std::collections::HashMap;

use delivery::Moment;

use crate::hall::Deadline;

/// A deadline with its moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Due {
    /// Time by the clock that cannot be set, milliseconds.
    pub(crate) run_ms: u64,
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
    /// The deadline that falls first. `all`: those of all matches.
    pub(crate) fn next(&mut self, all: &[Deadline], now: Moment) -> Option<Due> {
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
                let wait_ms = deadline.at_ms.saturating_sub(now.wall_ms).min(deadline.wait_ms);
                Due { run_ms: now.run_ms.saturating_add(wait_ms), deadline: deadline.clone() }
            });
            self.pending.insert(id.clone(), due);
        }
        let key = |due: &&Due| (due.run_ms, due.deadline.opened_input);
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
    const RUN_MS: u64 = 60_000;

    fn deadline(at_ms: u64) -> Deadline {
        let (match_id, t_us) = ("m1".to_owned(), 5_000_000);
        Deadline { match_id, t_us, at_ms, wait_ms: 3_000, opened_input: 1, changed_input: 7 }
    }

    fn moment(wall_ms: u64) -> Moment {
        Moment { wall_ms, run_ms: RUN_MS }
    }

    /// Time to the only deadline, milliseconds.
    fn wait_ms(deadlines: &mut Deadlines, at_ms: u64, wall_ms: u64) -> u64 {
        let due = deadlines.next(&[deadline(at_ms)], moment(wall_ms)).unwrap();
        due.run_ms.saturating_sub(RUN_MS)
    }

    #[test]
    fn a_deadline_waits_for_what_is_left_of_it() {
        let mut deadlines = Deadlines::default();
        assert_eq!(wait_ms(&mut deadlines, NOW_MS + 1_000, NOW_MS), 1_000);
        assert_eq!(deadlines.next(&[], moment(NOW_MS)), None);
        assert_eq!(wait_ms(&mut deadlines, NOW_MS - 1_000, NOW_MS), 0, "it has passed");
    }

    #[test]
    fn a_clock_that_is_set_moves_no_deadline() {
        for set_ms in [NOW_MS - HOUR_MS, NOW_MS + HOUR_MS] {
            let mut deadlines = Deadlines::default();
            assert_eq!(wait_ms(&mut deadlines, NOW_MS + 2_000, NOW_MS), 2_000);
            assert_eq!(wait_ms(&mut deadlines, NOW_MS + 2_000, set_ms), 2_000);
        }
    }

    #[test]
    fn a_deadline_of_before_a_clock_was_set_back_waits_its_match_time() {
        let mut deadlines = Deadlines::default();
        assert_eq!(wait_ms(&mut deadlines, NOW_MS + 3_000, NOW_MS - HOUR_MS), 3_000);
    }

    #[test]
    fn a_deadline_that_changed_nothing_is_logged_once() {
        let mut deadlines = Deadlines::default();
        let due = deadlines.next(&[deadline(NOW_MS)], moment(NOW_MS)).unwrap();
        deadlines.logged(due);
        assert_eq!(deadlines.next(&[deadline(NOW_MS)], moment(NOW_MS)), None);
        let changed = Deadline { changed_input: 8, ..deadline(NOW_MS) };
        assert!(deadlines.next(&[changed], moment(NOW_MS)).is_some(), "the match has changed");
    }
}
