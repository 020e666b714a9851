//! The choice of clock readings that become rows: pages let clocks tick by themselves between rows.

use std::collections::BTreeMap;

use inference::facts::{Fact, Facts};
use rules::{BoardId, PerMove, TimeControl};

use super::view::Display;

/// Difference between a display and its extrapolation from the last row that is worth a row, milliseconds.
const DEVIATION_MAX_MS: i64 = 150;
/// Longest time without a row while a clock runs, microseconds.
const RUNNING_SILENCE_MAX_US: u64 = 10_000_000;

/// The last row of each board's clock.
#[derive(Clone, Debug)]
pub(super) struct ClockRows {
    /// Delay or increment of every clock by the time control.
    per_move: PerMove,
    /// Delay or increment that a board's clock was given later.
    changed: BTreeMap<BoardId, PerMove>,
    last: BTreeMap<BoardId, Row>,
}

/// The last reading, and the start of the running time; both in match time, microseconds.
#[derive(Clone, Copy, Debug)]
struct Row {
    t_us: u64,
    display: Display,
    started_us: u64,
}

impl ClockRows {
    /// No rows yet.
    pub(super) fn new(time: &TimeControl) -> ClockRows {
        let (changed, last) = (BTreeMap::new(), BTreeMap::new());
        ClockRows { per_move: time.per_move(), changed, last }
    }

    /// Adds facts. Of several delays of a clock the latest holds.
    pub(super) fn know(&mut self, facts: &Facts) {
        let told = facts.iter().filter_map(|fact| match fact {
            Fact::PerMove(fact) => Some(fact),
            _ => None,
        });
        let mut told: Vec<_> = told.collect();
        told.sort_by_key(|fact| fact.t_us);
        self.changed = told.into_iter().map(|fact| (fact.board, fact.per_move)).collect();
    }

    /// Delay of a board's clock after each press, microseconds. A Bronstein delay lets it run at once.
    fn held_us(&self, board: BoardId) -> u64 {
        let per_move = self.changed.get(&board).copied().unwrap_or(self.per_move);
        u64::from(per_move.held_s()) * 1_000_000
    }

    /// Whether a display read at match time `t_us` is news; if so, it is the last row from now on. Its times may be
    /// wrong by `resolution_ms` either way.
    pub(super) fn is_news(
        &mut self,
        board: BoardId,
        t_us: u64,
        display: Display,
        resolution_ms: u32,
    ) -> bool {
        let deviation_max_ms = DEVIATION_MAX_MS + 2 * i64::from(resolution_ms);
        let last = self.last.get(&board).copied();
        let news = last.is_none_or(|last| {
            let expected = expect(last, self.held_us(board), t_us);
            let off = |shown: i64, expected: i64| (shown - expected).abs() > deviation_max_ms;
            last.display.white_runs != display.white_runs
                || off(display.white_ms, expected.white_ms)
                || off(display.black_ms, expected.black_ms)
                || (display.white_runs.is_some()
                    && t_us.saturating_sub(last.t_us) >= RUNNING_SILENCE_MAX_US)
        });
        if news {
            let goes_on = last.filter(|last| last.display.white_runs == display.white_runs);
            let started_us = goes_on.map_or(t_us, |last| last.started_us);
            self.last.insert(board, Row { t_us, display, started_us });
        }
        news
    }
}

/// A display's later value, if nobody touches the clock; it stands still for `held_us` after each press.
fn expect(last: Row, held_us: u64, t_us: u64) -> Display {
    let Row { display, .. } = last;
    let runs_from_us = last.t_us.max(last.started_us.saturating_add(held_us));
    let elapsed_ms = i64::try_from(t_us.saturating_sub(runs_from_us) / 1_000).unwrap_or(i64::MAX);
    let run = |ms: i64, runs: bool| if runs { ms.saturating_sub(elapsed_ms).max(0) } else { ms };
    Display {
        white_ms: run(display.white_ms, display.white_runs == Some(true)),
        black_ms: run(display.black_ms, display.white_runs == Some(false)),
        ..display
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(delay_s: u32) -> ClockRows {
        ClockRows::new(&TimeControl::sudden_death(300, delay_s).unwrap())
    }

    const fn display(white_ms: i64, white_runs: Option<bool>) -> Display {
        Display { white_ms, black_ms: 300_000, white_runs }
    }

    #[test]
    fn a_clock_that_runs_as_expected_is_reported_every_ten_seconds() {
        let mut rows = rows(0);
        let news: Vec<u64> = (0..25_u64)
            .filter(|s| {
                let shown = display(300_000 - (s * 1_000).cast_signed(), Some(true));
                rows.is_news(BoardId::A, s * 1_000_000, shown, 0)
            })
            .collect();
        assert_eq!(news, [0, 10, 20]);
    }

    #[test]
    fn stopping_starting_and_jumping_are_news() {
        let mut rows = rows(0);
        assert!(rows.is_news(BoardId::A, 0, display(300_000, None), 0));
        assert!(!rows.is_news(BoardId::A, 60_000_000, display(300_000, None), 0));
        assert!(rows.is_news(BoardId::A, 60_000_000, display(300_000, Some(true)), 0));
        assert!(!rows.is_news(BoardId::A, 61_000_000, display(299_100, Some(true)), 0));
        assert!(rows.is_news(BoardId::A, 62_000_000, display(298_500, Some(true)), 0));
        assert!(rows.is_news(BoardId::A, 62_500_000, display(298_000, None), 0));
        assert!(rows.is_news(BoardId::B, 62_500_000, display(298_000, None), 0));
    }

    #[test]
    fn a_clock_that_waits_for_its_delay_and_then_runs_says_nothing_new() {
        let shown =
            |s: u64| display(300_000 - (s.saturating_sub(5) * 1_000).cast_signed(), Some(true));
        let news = |delay_s| -> Vec<u64> {
            let mut rows = rows(delay_s);
            (0..9_u64).filter(|&s| rows.is_news(BoardId::A, s * 1_000_000, shown(s), 0)).collect()
        };
        assert_eq!(news(5), [0]);
        assert_eq!(
            news(0),
            [0, 1, 2, 3, 4, 5],
            "a clock of which no delay is known seems to stand"
        );
        let delay = |board: &str, t_us: u64, delay_s: u32| {
            format!(
                r#"{{"kind":"fact","board":"{board}","t_us":{t_us},"per_move":{{"delay_s":{delay_s}}}}}"#
            )
        };
        let told = [delay("A", 7, 5), delay("A", 3, 0), delay("B", 9, 0)].join("\n");
        let facts = inference::facts::FactsFile::read(told.as_bytes()).unwrap().of("m");
        let mut rows = rows(0);
        rows.know(&facts);
        let news = (0..9_u64).filter(|&s| rows.is_news(BoardId::A, s * 1_000_000, shown(s), 0));
        assert_eq!(news.collect::<Vec<_>>(), [0], "the latest delay of this board holds");
    }
}
