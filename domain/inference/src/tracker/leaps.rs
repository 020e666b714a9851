//! Readings whose times lie hours ahead: a node whose time is wrong, or a rest.
//!
//! ```text
//! believed at once   if t - now <= LEAP_MAX
//! believed           if AGREEING readings in a row lie ahead, each at most LEAP_MAX from the one before
//! refuted            if a reading before them in time follows
//! ```
//!
//! Until it is believed, a reading counts as made now. Time never goes back, so one wrong time must
//! not move it.

use rules::BoardId;

/// Latest time of a match, microseconds: a year. Bound: no sum of times overflows.
pub(super) const TIME_MAX_US: u64 = 366 * 24 * 3_600_000_000;
/// Longest time between two readings that is believed at once, microseconds: four hours. Nobody
/// thinks so long. Assumed: set by hand.
pub(super) const LEAP_MAX_US: u64 = 4 * 3_600_000_000;
/// Number of readings in a row that are believed if they agree: boards may stand set up over a weekend.
/// Assumed: set by hand.
const AGREEING: u8 = 3;

/// Readings in a row that lie ahead.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// The board of the first, if it is known.
    board: Option<BoardId>,
    /// Time of the last, microseconds.
    last_us: u64,
    count: u8,
}

/// The readings that are not believed yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaps(Option<Ahead>);

/// Handling of a reading's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// Whether the reading was made then.
    pub(super) is_believed: bool,
    /// The board of earlier readings whose times are refuted by it.
    pub(super) refuted: Option<BoardId>,
}

impl Leaps {
    /// Takes the time of a reading of a board, microseconds.
    pub(super) fn judge(&mut self, now_us: u64, t_us: u64, board: Option<BoardId>) -> Judged {
        let before = self.0.take();
        if t_us.saturating_sub(now_us) <= LEAP_MAX_US {
            let refuted = before.filter(|ahead| t_us < ahead.last_us);
            return Judged { is_believed: true, refuted: refuted.and_then(|ahead| ahead.board) };
        }
        let is_near = |ahead: &Ahead| t_us.abs_diff(ahead.last_us) <= LEAP_MAX_US;
        let (count, first, refuted) = match before.filter(is_near) {
            Some(ahead) => (ahead.count + 1, ahead.board, None),
            None => (1, board, before.and_then(|ahead| ahead.board)),
        };
        // Later than any match.
        let is_believed = count >= AGREEING && t_us <= TIME_MAX_US;
        if !is_believed {
            let count = count.min(AGREEING);
            self.0 = Some(Ahead { board: first, last_us: t_us, count });
        }
        Judged { is_believed, refuted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_US: u64 = 3_600_000_000;
    const BOARD: Option<BoardId> = Some(BoardId::A);

    /// The believed ones of these times, and the number of refuted readings.
    fn judged(times_us: &[u64]) -> (Vec<bool>, usize) {
        let (mut leaps, mut now_us, mut refuted) = (Leaps::default(), 0, 0);
        let is_believed = times_us.iter().map(|&t_us| {
            let judged = leaps.judge(now_us, t_us, BOARD);
            now_us = if judged.is_believed { now_us.max(t_us) } else { now_us };
            refuted += usize::from(judged.refuted.is_some());
            judged.is_believed
        });
        (is_believed.collect(), refuted)
    }

    #[test]
    fn one_time_far_ahead_is_refuted_by_the_next_reading() {
        assert_eq!(judged(&[1, 72 * HOUR_US, 2, 3]), (vec![true, false, true, true], 1));
        assert_eq!(judged(&[1, u64::MAX, 5 * HOUR_US, 2]), (vec![true, false, false, true], 2));
    }

    #[test]
    fn a_rest_is_believed_once_several_readings_agree_on_it() {
        let later_us = 120 * HOUR_US;
        let times = [1, later_us, later_us + 5, later_us + 9, later_us + 10];
        assert_eq!(judged(&times), (vec![true, false, false, true, true], 0));
        assert_eq!(judged(&[1, 3 * HOUR_US, 6 * HOUR_US]), (vec![true; 3], 0));
    }

    #[test]
    fn no_number_of_readings_makes_a_time_beyond_a_year_believed() {
        assert_eq!(judged(&[u64::MAX; 300]).0, [false; 300]);
    }
}
