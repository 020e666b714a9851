//! A clock's display once an order is carried out: it shows that a person has done by hand what no command could.

use referee::ClockReading;

/// Tolerance between a display and the ordered time, milliseconds: clocks of other makers show whole seconds, and
/// hands are slow.
const AS_ORDERED_MS: i64 = 1_500;

/// A clock's display once an order is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hall) enum Expected {
    Times(i64, i64),
    Standing,
    Running,
}

impl Expected {
    /// Whether a reading shows it.
    pub(in crate::hall) fn is_shown(self, reading: &ClockReading) -> bool {
        match self {
            Expected::Standing => reading.running.is_none(),
            Expected::Running => reading.running.is_some(),
            Expected::Times(white_ms, black_ms) => {
                (reading.white_ms - white_ms).abs() <= AS_ORDERED_MS
                    && (reading.black_ms - black_ms).abs() <= AS_ORDERED_MS
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::BoardId;

    use super::*;

    #[test]
    fn a_clock_shows_what_was_ordered_when_its_times_are_near() {
        let reading = |white_ms, running| ClockReading {
            board: BoardId::A,
            white_ms,
            black_ms: 120_000,
            running,
            t_us: 0,
        };
        let times = Expected::Times(180_000, 120_000);
        assert!(times.is_shown(&reading(179_000, None)));
        assert!(!times.is_shown(&reading(178_000, None)));
        assert!(Expected::Standing.is_shown(&reading(0, None)));
        assert!(Expected::Running.is_shown(&reading(0, Some(rules::Color::White))));
    }
}
