//! One board's clock, between its readings.

use rules::Color;

/// The last display, and the time that has run since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    shown: Option<Shown>,
}

#[derive(Clone, Copy, Debug)]
struct Shown {
    t_us: u64,
    white_ms: i64,
    black_ms: i64,
    running: Option<Color>,
}

impl Clock {
    /// Takes a reading of the display.
    pub(crate) fn read(&mut self, t_us: u64, white_ms: i64, black_ms: i64, running: Option<Color>) {
        self.shown = Some(Shown { t_us, white_ms, black_ms, running });
    }

    /// Takes a press into account until the display is read again.
    pub(crate) fn press(&mut self, t_us: u64, by: Color) {
        let (white, black) =
            (self.remaining_ms(t_us, Color::White), self.remaining_ms(t_us, Color::Black));
        if let (Some(white_ms), Some(black_ms)) = (white, black) {
            self.read(t_us, white_ms, black_ms, Some(by.other()));
        }
    }

    /// Whose time ran at the last reading or press.
    pub(crate) fn running(&self) -> Option<Color> {
        self.shown.and_then(|shown| shown.running)
    }

    /// What is left to `color` at `t_us`, milliseconds; delays are not modelled. None before the first
    /// reading.
    pub(crate) fn remaining_ms(&self, t_us: u64, color: Color) -> Option<i64> {
        let shown = self.shown?;
        let left = if color.is_white() { shown.white_ms } else { shown.black_ms };
        if shown.running != Some(color) {
            return Some(left);
        }
        let run_ms = i64::try_from(t_us.saturating_sub(shown.t_us) / 1_000).unwrap_or(i64::MAX);
        Some(left.saturating_sub(run_ms).max(left.min(0)))
    }
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
}
