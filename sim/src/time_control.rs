//! The time control of a recorded game, and who lost on time.

use rules::{
    Seat,
    bpgn::{BpgnGame, EndReason},
};

use crate::SimError;

/// What players start with where a record does not say, seconds: G/5, no delay
/// (`us-chess-bughouse-2018 4`).
const BASE_S: u32 = 300;
const MINUTE_S: u32 = 60;

/// A recorded time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeControl {
    /// Time each player starts with, seconds.
    pub(crate) base_s: u32,
    /// Time added per ply in the record. The simulated lever clock adds none; it only serves to
    /// read thinking times off the recorded clocks.
    pub(crate) increment_us: u64,
}

impl TimeControl {
    /// Reads a game's `TimeControl` tag.
    pub(crate) fn of(game: &BpgnGame) -> Result<TimeControl, SimError> {
        match game.tag("TimeControl") {
            None | Some("" | "?" | "-") => Ok(TimeControl { base_s: BASE_S, increment_us: 0 }),
            Some(text) => parse(text).ok_or_else(|| SimError::TimeControl(text.to_owned())),
        }
    }

    pub(crate) fn base_us(self) -> u64 {
        u64::from(self.base_s) * 1_000_000
    }

    /// The base time with which nobody's flag falls: the recorded one, or the next whole minute
    /// that is more than what the hands used.
    pub(crate) fn base_s_for(self, used_us: u64) -> u32 {
        if used_us < self.base_us() {
            return self.base_s;
        }
        let minutes = used_us / (u64::from(MINUTE_S) * 1_000_000) + 1;
        u32::try_from(minutes).unwrap_or(u32::MAX).saturating_mul(MINUTE_S)
    }
}

/// Who lost on time, if the record says so.
pub(crate) fn flagged(game: &BpgnGame) -> Option<Seat> {
    let ending = game.ending.as_ref()?;
    ending.loser.filter(|_| ending.reason == EndReason::ForfeitsOnTime)
}

fn parse(text: &str) -> Option<TimeControl> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let increment_s: u64 = increment.parse().ok().filter(|&seconds| seconds <= 3600)?;
    let base_s = base.parse().ok().filter(|&seconds| seconds > 0 && seconds <= 86_400)?;
    Some(TimeControl { base_s, increment_us: increment_s * 1_000_000 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_time_is_raised_to_the_next_whole_minute_that_suffices() {
        let control = parse("180+0").unwrap();
        assert_eq!(control.base_s_for(100_000_000), 180);
        assert_eq!(control.base_s_for(180_000_000), 240);
        assert_eq!(control.base_s_for(239_999_999), 240);
        assert_eq!(control.base_s_for(240_000_000), 300);
    }

    #[test]
    fn a_time_control_that_is_no_time_is_refused() {
        assert_eq!(parse("five minutes"), None);
        assert_eq!(parse("0+0"), None);
        assert_eq!(parse("300+1").unwrap().increment_us, 1_000_000);
    }
}
