//! ```text
//! left(t) = shown - (t - max(t_shown, t_press + hold))   for the running side, not below 0
//! left(t) = shown                                        for the other side
//! press:  left += increment + min(time used, most given back)   for the presser, if its time ran
//! ```
//!
//! One board's clock, between its readings.
//!
//! A display is read now and then. The remaining time at any other moment follows from the last
//! display, the presses since then, and the time control. Where the control holds no time, `left`
//! counts from `t_shown`; a time shown below 0 stays as it is shown.

use rules::{Color, PerMove, TimeControl};

/// Longest time that a clock can show, milliseconds: a hundred hours. Assumed: set by hand.
const SHOWN_MAX_MS: i64 = 100 * 3_600_000;

/// A reading of a display.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DisplayReading {
    pub(crate) t_us: u64,
    /// White's and Black's time, milliseconds.
    pub(crate) left_ms: [i64; 2],
    pub(crate) running: Option<Color>,
}

impl DisplayReading {
    /// Times of a display, limited to the range of clocks.
    pub(crate) fn new(t_us: u64, left_ms: [i64; 2], running: Option<Color>) -> DisplayReading {
        let left_ms = left_ms.map(|ms| ms.clamp(-SHOWN_MAX_MS, SHOWN_MAX_MS));
        DisplayReading { t_us, left_ms, running }
    }

    /// Exchanges the players.
    pub(crate) fn exchange(&mut self) {
        self.left_ms.reverse();
        self.running = self.running.map(Color::other);
    }
}

/// The last display, and the time that has run since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// The last display, with the presses since then.
    pub(crate) shown: Option<DisplayReading>,
    /// Allowance of the clock for each move. Without it, a press adds nothing and the clock never pauses.
    pub(crate) per_move: Option<PerMove>,
    /// Time of the last press, microseconds since the trace began.
    pressed_us: u64,
}

impl Clock {
    /// A clock that has not been read yet, of a game with this time control.
    pub(crate) fn new(control: Option<&TimeControl>) -> Clock {
        Clock { per_move: control.map(TimeControl::per_move), ..Clock::default() }
    }

    /// Takes a press into account until the display is read again.
    pub(crate) fn press(&mut self, t_us: u64, by: Color) {
        if let [Some(white), Some(black)] = self.left_ms(t_us) {
            let mut left_ms = [white, black];
            if let Some(per_move) = self.per_move.filter(|_| self.running() == Some(by)) {
                let used_ms = t_us.saturating_sub(self.pressed_us) / 1_000;
                let given_back_ms = i64::from(per_move.given_back_s()) * 1_000;
                left_ms[usize::from(by.is_black())] += i64::from(per_move.increment_s()) * 1_000
                    + i64::try_from(used_ms).unwrap_or(i64::MAX).min(given_back_ms);
            }
            self.shown = Some(DisplayReading { t_us, left_ms, running: Some(by.other()) });
        }
        self.pressed_us = t_us;
    }

    /// Exchanges the players: the clock is turned the other way round.
    pub(crate) fn exchange(&mut self) {
        if let Some(shown) = &mut self.shown {
            shown.exchange();
        }
    }

    /// The side whose time ran after the last reading or press.
    pub(crate) fn running(&self) -> Option<Color> {
        self.shown.and_then(|shown| shown.running)
    }

    /// Remaining time of `color` at `t_us`, milliseconds. None before the first reading.
    pub(crate) fn remaining_ms(&self, t_us: u64, color: Color) -> Option<i64> {
        let shown = self.shown?;
        let left = shown.left_ms[usize::from(color.is_black())];
        if shown.running != Some(color) {
            return Some(left);
        }
        let held_us = self.per_move.map_or(0, |per_move| u64::from(per_move.held_s()) * 1_000_000);
        let runs_from_us = match held_us {
            0 => shown.t_us,
            held_us => shown.t_us.max(self.pressed_us.saturating_add(held_us)),
        };
        let run_ms = i64::try_from(t_us.saturating_sub(runs_from_us) / 1_000).unwrap_or(i64::MAX);
        Some(left.saturating_sub(run_ms).max(left.min(0)))
    }

    /// Both players' remaining times at `t_us`, milliseconds, White's first.
    pub(crate) fn left_ms(&self, t_us: u64) -> [Option<i64>; 2] {
        Color::ALL.map(|color| self.remaining_ms(t_us, color))
    }
}

/// Times of a ply by the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timing {
    /// Time from the opponent's press to the mover's, milliseconds.
    pub(crate) thought_ms: Option<u32>,
    /// Remaining times of both players when the mover's time began to run, milliseconds, White's first.
    pub(crate) left_ms: [Option<u32>; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_running_side_loses_time_and_never_below_nothing() {
        let mut clock = Clock::default();
        assert_eq!(clock.remaining_ms(0, Color::White), None);
        let running = Some(Color::White);
        clock.shown = Some(DisplayReading { t_us: 1_000_000, left_ms: [10_000, 20_000], running });
        assert_eq!(clock.remaining_ms(3_500_000, Color::White), Some(7_500));
        assert_eq!(clock.remaining_ms(3_500_000, Color::Black), Some(20_000));
        assert_eq!(clock.remaining_ms(60_000_000, Color::White), Some(0));
        clock.press(3_500_000, Color::White);
        assert_eq!(clock.remaining_ms(4_500_000, Color::White), Some(7_500));
        assert_eq!(clock.remaining_ms(4_500_000, Color::Black), Some(19_000));
    }

    /// White's remaining time, ten seconds at first, after a press so many seconds after Black's.
    fn left_after(control: &TimeControl, used_s: u64) -> Option<i64> {
        let running = Some(Color::Black);
        let shown = Some(DisplayReading { t_us: 1_000_000, left_ms: [10_000, 20_000], running });
        let mut clock = Clock { shown, ..Clock::new(Some(control)) };
        clock.press(1_000_000, Color::Black);
        clock.press(1_000_000 + used_s * 1_000_000, Color::White);
        clock.remaining_ms(90_000_000, Color::White)
    }

    #[test]
    fn press_adds_the_increment_or_gives_back_the_delay_where_the_display_is_not_read() {
        let fischer = TimeControl::fischer(60, 2).expect("a time control");
        assert_eq!(left_after(&fischer, 3), Some(9_000));
        let whole = vec![rules::Period { base_s: 60, moves: None }];
        let bronstein =
            TimeControl::new(whole, 0, 5, rules::DelayKind::Bronstein).expect("it is one");
        assert_eq!(
            [3, 7].map(|used_s| left_after(&bronstein, used_s)),
            [Some(10_000), Some(8_000)]
        );
    }

    #[test]
    fn clock_stands_still_for_the_us_delay() {
        let delayed = TimeControl::sudden_death(60, 5).expect("a time control");
        assert_eq!([3, 7].map(|used_s| left_after(&delayed, used_s)), [Some(10_000), Some(8_000)]);
    }
}
