//! Offset between a hub's clock and this machine's, from which the age of delayed rows follows.
//!
//! Of each row the hub's time and the time of arrival are known. Their difference is that of the two clocks plus the way; the least of many is
//! the quickest way. It is the least of some seconds and not of all time: clocks run apart, one of the two is set, or stands still while a
//! laptop sleeps. Rows that an outage held up come late by less and less, so they are told from a clock that was set: behind that, all rows are late
//! by the same.

/// So long rows are looked at together, milliseconds: a clock that was set is known after twice as long, and a line that is up again
/// has delivered what it held up, as a rule (assumed).
const LOOK_MS: u64 = 10_000;

/// By so much more the least of a look may be at once, milliseconds: clocks run apart by less in a look (assumed).
const DRIFT_MS: i64 = 100;

/// Rows whose lateness differs by no more than this are late by the same, milliseconds. A line that is up delivers within it. Where a line
/// delivers what it held up, the lateness falls by more than this within a look (assumed: ten seconds of rows come in nine).
const ALIKE_MS: i64 = 1_000;

/// A window of rows.
#[derive(Clone, Copy, Debug)]
struct RowWindow {
    /// Arrival of its first row, Unix milliseconds.
    since_ms: u64,
    least: i64,
    most: i64,
}

/// The difference of two clocks, as rows tell it. Milliseconds; a positive one: the hub's clock is behind, or its rows are late.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::hall) struct Offset {
    /// The least of the look before.
    before: Option<i64>,
    now: Option<RowWindow>,
}

impl Offset {
    /// A row came at `received_ms`, late by `offset`. Returns the least lateness, that of this row among them.
    pub(in crate::hall) fn note(&mut self, offset: i64, received_ms: u64) -> i64 {
        let begun = RowWindow { since_ms: received_ms, least: offset, most: offset };
        let look = self.now.get_or_insert(begun);
        look.least = look.least.min(offset);
        look.most = look.most.max(offset);
        // A clock that is set back ends a look too: this row came before it began.
        let is_over = received_ms.checked_sub(look.since_ms).is_none_or(|long| long >= LOOK_MS);
        let least = self.before.map_or(look.least, |before| before.min(look.least));
        if !is_over {
            return least;
        }
        let is_as_before = look.least <= least.saturating_add(DRIFT_MS);
        if is_as_before || look.most.saturating_sub(look.least) <= ALIKE_MS {
            self.before = Some(look.least);
        }
        // The last row of a look is the first of the next: of a table at which little happens there may be no other.
        self.now = Some(begun);
        self.least().unwrap_or(offset)
    }

    /// The least lateness.
    pub(in crate::hall) fn least(&self) -> Option<i64> {
        let now = self.now.map(|look| look.least);
        self.before.into_iter().chain(now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Estimated delays of rows, given as hub's time and arrival, milliseconds.
    fn held_up(rows: impl IntoIterator<Item = (u64, u64)>) -> Vec<i64> {
        let mut offset = Offset::default();
        let late = |(hub_ms, received_ms): (u64, u64)| {
            let of_row = received_ms.cast_signed() - hub_ms.cast_signed();
            of_row - offset.note(of_row, received_ms)
        };
        rows.into_iter().map(late).collect()
    }

    /// A row every `every_ms` of hub's time from 0 until `end_ms`.
    fn made(every_ms: usize, end_ms: u64) -> impl Iterator<Item = u64> {
        (0..end_ms).step_by(every_ms)
    }

    #[test]
    fn a_clock_that_was_set_forward_is_learnt_within_twenty_seconds() {
        let set_ms = 60_000;
        for step_ms in [5_000, 300_000, 590_000] {
            let rows = made(500, 120_000).map(|hub_ms| {
                let step = if hub_ms < set_ms { 0 } else { step_ms };
                (hub_ms, 1_000_000 + hub_ms + hub_ms % 40 + step)
            });
            let late = held_up(rows);
            let from = (set_ms + 2 * LOOK_MS) / 500;
            let worst = late[from as usize..].iter().max();
            assert!(worst.is_some_and(|late| *late < 50), "{step_ms}: {worst:?}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_is_learnt_at_once() {
        let rows = made(500, 120_000).map(|hub_ms| {
            let step = if hub_ms < 60_000 { 0 } else { 1_800_000 };
            (hub_ms, 9_000_000 + hub_ms + hub_ms % 40 - step)
        });
        assert!(held_up(rows).into_iter().all(|late| late < 50));
    }

    #[test]
    fn a_slow_table_learns_it_with_its_second_row() {
        let rows = made(90_000, 900_000).map(|hub_ms| {
            let step = if hub_ms < 450_000 { 0 } else { 300_000 };
            (hub_ms, 1_000_000 + hub_ms + step)
        });
        assert_eq!(held_up(rows), [0, 0, 0, 0, 0, 300_000, 0, 0, 0, 0]);
    }

    #[test]
    fn rows_that_an_outage_held_up_keep_their_age_and_shift_nothing() {
        // The line is away, then gives what it held up, as fast as it can: 1.2 times to 100 times as fast as it is made.
        for outage_ms in [5_000, 20_000, 180_000, 590_000] {
            for faster in [1.2_f64, 2.0, 10.0, 100.0] {
                let (begin, mut up) = (60_000_u64, 60_000.0 + outage_ms as f64);
                let rows = made(250, 3_000_000).map(|hub_ms| {
                    let mut arrives = hub_ms as f64;
                    if hub_ms >= begin {
                        up += 250.0 / faster;
                        arrives = arrives.max(up);
                    }
                    (hub_ms, 1_000_000 + arrives as u64)
                });
                let rows: Vec<(u64, u64)> = rows.collect();
                for (late, (hub_ms, received_ms)) in held_up(rows.clone()).iter().zip(&rows) {
                    let true_late = (received_ms - hub_ms - 1_000_000).cast_signed();
                    let wrong = (true_late - late).abs();
                    assert!(
                        wrong <= DRIFT_MS,
                        "{outage_ms} {faster}: {late} of {true_late} at {hub_ms}"
                    );
                }
            }
        }
    }

    #[test]
    fn clocks_that_run_apart_are_followed() {
        // 200 in a million, ten hours: seven seconds.
        let rows =
            made(5_000, 36_000_000).map(|hub_ms| (hub_ms, 1_000_000 + hub_ms + hub_ms / 5_000));
        assert!(held_up(rows).into_iter().all(|late| late < 50));
    }
}
