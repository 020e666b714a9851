//! One board's clock, between its readings.
//!
//! A display is read now and then. The remaining time at any other moment follows from the last display,
//! the presses since then, and the time control:
//!
//! ```text
//! left(t) = shown - (t - max(t_shown, t_press + hold))   for the running side, not below 0
//! left(t) = shown                                        for the other side
//! press:  left += increment + min(time used, most given back)   for the presser, if its time ran
//! ```

use rules::{Color, PerMove, TimeControl};

/// The last display, and the time that has run since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    shown: Option<Shown>,
    /// A press adds so much to its player's time, milliseconds. Rule: increment of the time control.
    increment_ms: i64,
    /// A press gives back at most so much of the time used, milliseconds. Rule: Bronstein delay.
    gives_back_ms: i64,
    /// The clock stands still so long after a press, microseconds. Rule: US delay.
    held_us: u64,
    /// Time of the last press, microseconds since the trace began.
    pressed_us: u64,
}

#[derive(Clone, Copy, Debug)]
struct Shown {
    t_us: u64,
    white_ms: i64,
    black_ms: i64,
    running: Option<Color>,
}

impl Clock {
    /// A clock that has not been read yet, of a game with this time control. Without a time control a press
    /// adds nothing and the clock never stands still.
    pub(crate) fn new(control: Option<&TimeControl>) -> Clock {
        let mut clock = Clock::default();
        if let Some(control) = control {
            clock.give(control.per_move());
        }
        clock
    }

    /// From now on the clock gives this for each move.
    pub(crate) fn give(&mut self, per_move: PerMove) {
        self.increment_ms = i64::from(per_move.increment_s()) * 1_000;
        self.gives_back_ms = i64::from(per_move.given_back_s()) * 1_000;
        self.held_us = u64::from(per_move.held_s()) * 1_000_000;
    }

    /// Takes a reading of the display.
    pub(crate) fn read(&mut self, t_us: u64, white_ms: i64, black_ms: i64, running: Option<Color>) {
        self.shown = Some(Shown { t_us, white_ms, black_ms, running });
    }

    /// Takes a press into account until the display is read again.
    pub(crate) fn press(&mut self, t_us: u64, by: Color) {
        let (white, black) =
            (self.remaining_ms(t_us, Color::White), self.remaining_ms(t_us, Color::Black));
        if let (Some(white_ms), Some(black_ms)) = (white, black) {
            let ran = self.running() == Some(by);
            let adds_ms = if ran { self.increment_ms + self.given_back_ms(t_us) } else { 0 };
            let adds = |color: Color| if color == by { adds_ms } else { 0 };
            let (white_ms, black_ms) =
                (white_ms + adds(Color::White), black_ms + adds(Color::Black));
            self.read(t_us, white_ms, black_ms, Some(by.other()));
        }
        self.pressed_us = t_us;
    }

    fn given_back_ms(&self, t_us: u64) -> i64 {
        let used_ms = t_us.saturating_sub(self.pressed_us) / 1_000;
        i64::try_from(used_ms).unwrap_or(i64::MAX).min(self.gives_back_ms)
    }

    /// The side whose time ran after the last reading or press.
    pub(crate) fn running(&self) -> Option<Color> {
        self.shown.and_then(|shown| shown.running)
    }

    /// Remaining time of `color` at `t_us`, milliseconds. None before the first reading.
    pub(crate) fn remaining_ms(&self, t_us: u64, color: Color) -> Option<i64> {
        let shown = self.shown?;
        let left = if color.is_white() { shown.white_ms } else { shown.black_ms };
        if shown.running != Some(color) {
            return Some(left);
        }
        let runs_from_us = match self.held_us {
            0 => shown.t_us,
            held_us => shown.t_us.max(self.pressed_us.saturating_add(held_us)),
        };
        let run_ms = i64::try_from(t_us.saturating_sub(runs_from_us) / 1_000).unwrap_or(i64::MAX);
        Some(left.saturating_sub(run_ms).max(left.min(0)))
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
        clock.read(1_000_000, 10_000, 20_000, Some(Color::White));
        assert_eq!(clock.remaining_ms(3_500_000, Color::White), Some(7_500));
        assert_eq!(clock.remaining_ms(3_500_000, Color::Black), Some(20_000));
        assert_eq!(clock.remaining_ms(60_000_000, Color::White), Some(0));
        clock.press(3_500_000, Color::White);
        assert_eq!(clock.remaining_ms(4_500_000, Color::White), Some(7_500));
        assert_eq!(clock.remaining_ms(4_500_000, Color::Black), Some(19_000));
    }

    /// White's remaining time, ten seconds at first, after a press so many seconds after Black's.
    fn left_after(control: &TimeControl, used_s: u64) -> Option<i64> {
        let mut clock = Clock::new(Some(control));
        clock.read(1_000_000, 10_000, 20_000, Some(Color::Black));
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
