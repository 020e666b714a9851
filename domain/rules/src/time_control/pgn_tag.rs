//! The `TimeControl` tag of PGN: `300`, `180+2`, `40/5400+30:1800+30`, `?`.
//!
//! The PGN standard knows no delay, so a delay is not written. It knows an increment only beside
//! seconds, but `40/5400+30` is in general use. Some programs write the increment with the first
//! period only; both ways are read, and the increment is written with every period.

use std::fmt::Write;

use super::{DelayKind, Period, TimeControl, TimeControlError};

/// Longest text read as a tag's value, in bytes.
const TAG_MAX: usize = 128;

impl TimeControl {
    /// Reads the value of a PGN `TimeControl` tag. `?` (unknown), `-` (no time control) and an empty
    /// value give none.
    ///
    /// # Errors
    ///
    /// When a period cannot be read or the periods make no time control.
    pub fn from_pgn_tag(value: &str) -> Result<Option<TimeControl>, TimeControlError> {
        let value = value.trim();
        if matches!(value, "" | "?" | "-") {
            return Ok(None);
        }
        if value.len() > TAG_MAX {
            return Err(TimeControlError::Tag(quote(value)));
        }
        let mut periods = Vec::new();
        let mut increment_s = None;
        for (index, field) in value.split(':').enumerate() {
            let (period, increment) =
                parse_period(field).ok_or_else(|| TimeControlError::Tag(quote(field)))?;
            periods.push(period);
            match (increment, increment_s) {
                (Some(found), _) if index == 0 => increment_s = Some(found),
                (Some(found), known) if known != Some(found) => {
                    return Err(TimeControlError::Increments(quote(value)));
                }
                _ => {}
            }
        }
        let increment_s = increment_s.unwrap_or(0);
        TimeControl::new(periods, increment_s, 0, DelayKind::default()).map(Some)
    }

    /// The value of a PGN `TimeControl` tag. A delay is left out (see the module's docs).
    #[must_use]
    pub fn to_pgn_tag(&self) -> String {
        let mut out = String::new();
        for period in self.periods() {
            if !out.is_empty() {
                out.push(':');
            }
            if let Some(moves) = period.moves {
                let _ = write!(out, "{moves}/");
            }
            let _ = write!(out, "{}", period.base_s);
            if self.increment_s() > 0 {
                let _ = write!(out, "+{}", self.increment_s());
            }
        }
        out
    }
}

fn quote(text: &str) -> String {
    text.chars().take(TAG_MAX).collect()
}

/// One period and its increment, if it states one.
fn parse_period(field: &str) -> Option<(Period, Option<u32>)> {
    let (moves, seconds) = match field.split_once('/') {
        Some((moves, seconds)) => (Some(number(moves)?), seconds),
        None => (None, field),
    };
    let (base_s, increment) = match seconds.split_once('+') {
        Some((base, increment)) => (number(base)?, Some(number(increment)?)),
        None => (number(seconds)?, None),
    };
    Some((Period { base_s, moves }, increment))
}

/// Digits alone: `u32::from_str` would also read a sign.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
