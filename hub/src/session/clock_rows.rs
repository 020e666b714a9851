//! Which clock readings are worth a row: pages let clocks tick by themselves between rows.

use std::collections::BTreeMap;

use rules::BoardId;

use super::view::Display;

/// A display that differs this much from what the last row lets expect is news, milliseconds.
const DEVIATION_MAX_MS: i64 = 150;
/// Longest time without a row while a clock runs, microseconds.
const RUNNING_SILENCE_MAX_US: u64 = 10_000_000;

/// The last row of each board's clock.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockRows {
    last: BTreeMap<BoardId, (u64, Display)>,
}

impl ClockRows {
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
        let news = self.last.get(&board).is_none_or(|&(since_us, last)| {
            let elapsed_us = t_us.saturating_sub(since_us);
            let expected = expect(last, elapsed_us);
            let off = |shown: i64, expected: i64| (shown - expected).abs() > deviation_max_ms;
            last.white_runs != display.white_runs
                || off(display.white_ms, expected.white_ms)
                || off(display.black_ms, expected.black_ms)
                || (display.white_runs.is_some() && elapsed_us >= RUNNING_SILENCE_MAX_US)
        });
        if news {
            self.last.insert(board, (t_us, display));
        }
        news
    }
}

/// What a display shows some time later, if nobody touches the clock.
fn expect(display: Display, elapsed_us: u64) -> Display {
    let elapsed_ms = i64::try_from(elapsed_us / 1_000).unwrap_or(i64::MAX);
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

    const fn display(white_ms: i64, white_runs: Option<bool>) -> Display {
        Display { white_ms, black_ms: 300_000, white_runs }
    }

    #[test]
    fn a_clock_that_runs_as_expected_is_reported_every_ten_seconds() {
        let mut rows = ClockRows::default();
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
        let mut rows = ClockRows::default();
        assert!(rows.is_news(BoardId::A, 0, display(300_000, None), 0));
        assert!(!rows.is_news(BoardId::A, 60_000_000, display(300_000, None), 0));
        assert!(rows.is_news(BoardId::A, 60_000_000, display(300_000, Some(true)), 0));
        assert!(!rows.is_news(BoardId::A, 61_000_000, display(299_100, Some(true)), 0));
        assert!(rows.is_news(BoardId::A, 62_000_000, display(298_500, Some(true)), 0));
        assert!(rows.is_news(BoardId::A, 62_500_000, display(298_000, None), 0));
        assert!(rows.is_news(BoardId::B, 62_500_000, display(298_000, None), 0));
    }
}
