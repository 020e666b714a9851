//! Increment or delay of each move, besides the periods.
//!
//! It is separate from the rest of a time control. The reason: a director may change it on one clock in the middle of a game, and the
//! periods stay.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{DelayKind, MAX_PER_MOVE_S, TimeControlError, is_zero};

/// Increment or delay of each move, or neither.
///
/// Constructed only through checks. In files: `{"increment_s":2}`, `{"delay_s":5,"delay":"bronstein"}`, `{"delay_s":0}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "PerMoveFields", into = "PerMoveFields")]
pub struct PerMove {
    increment_s: u32,
    delay_s: u32,
    delay: DelayKind,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PerMoveFields {
    #[serde(default, skip_serializing_if = "is_zero")]
    increment_s: u32,
    #[serde(default)]
    delay_s: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delay: Option<DelayKind>,
}

impl TryFrom<PerMoveFields> for PerMove {
    type Error = TimeControlError;

    fn try_from(
        PerMoveFields { increment_s, delay_s, delay }: PerMoveFields,
    ) -> Result<Self, Self::Error> {
        PerMove::new(increment_s, delay_s, delay.unwrap_or_default())
    }
}

impl From<PerMove> for PerMoveFields {
    fn from(PerMove { increment_s, delay_s, delay }: PerMove) -> PerMoveFields {
        PerMoveFields { increment_s, delay_s, delay: (delay_s > 0).then_some(delay) }
    }
}

impl PerMove {
    /// An increment or a delay, in seconds. `delay` does not matter while `delay_s` is 0.
    ///
    /// # Errors
    ///
    /// When one is longer than [`MAX_PER_MOVE_S`], or when there are both.
    pub fn new(
        increment_s: u32,
        delay_s: u32,
        delay: DelayKind,
    ) -> Result<PerMove, TimeControlError> {
        for (name, seconds) in [("increment", increment_s), ("delay", delay_s)] {
            if seconds > MAX_PER_MOVE_S {
                return Err(TimeControlError::PerMove { name, seconds });
            }
        }
        if increment_s > 0 && delay_s > 0 {
            return Err(TimeControlError::IncrementAndDelay { increment_s, delay_s });
        }
        let delay = if delay_s == 0 { DelayKind::default() } else { delay };
        Ok(PerMove { increment_s, delay_s, delay })
    }

    /// Added to a player's time for each move, in seconds.
    #[must_use]
    pub const fn increment_s(self) -> u32 {
        self.increment_s
    }

    /// Free time for each move, in seconds.
    #[must_use]
    pub const fn delay_s(self) -> u32 {
        self.delay_s
    }

    /// Kind of the delay. [`DelayKind::Us`] when there is none.
    #[must_use]
    pub const fn delay(self) -> DelayKind {
        self.delay
    }

    /// Time for which a clock waits before it counts, in seconds: a delay of the US kind.
    #[must_use]
    pub const fn held_s(self) -> u32 {
        match self.delay {
            DelayKind::Us => self.delay_s,
            DelayKind::Bronstein => 0,
        }
    }

    /// Maximum of the used time that is given back, in seconds: a Bronstein delay.
    #[must_use]
    pub const fn given_back_s(self) -> u32 {
        match self.delay {
            DelayKind::Us => 0,
            DelayKind::Bronstein => self.delay_s,
        }
    }
}

impl fmt::Display for PerMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.increment_s, self.delay_s, self.delay) {
            (0, 0, _) => f.write_str("no delay"),
            (0, delay_s, DelayKind::Us) => write!(f, "{delay_s} s delay"),
            (0, delay_s, DelayKind::Bronstein) => write!(f, "{delay_s} s Bronstein delay"),
            (increment_s, _, _) => write!(f, "{increment_s} s increment"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_with_what_it_gives_and_read_again() {
        let bronstein = PerMove::new(0, 5, DelayKind::Bronstein).unwrap();
        let fischer = PerMove::new(2, 0, DelayKind::Bronstein).unwrap();
        let texts = [
            (PerMove::default(), r#"{"delay_s":0}"#, "no delay"),
            (
                PerMove::new(0, 5, DelayKind::Us).unwrap(),
                r#"{"delay_s":5,"delay":"us"}"#,
                "5 s delay",
            ),
            (bronstein, r#"{"delay_s":5,"delay":"bronstein"}"#, "5 s Bronstein delay"),
            (fischer, r#"{"increment_s":2,"delay_s":0}"#, "2 s increment"),
        ];
        for (per_move, json, words) in texts {
            assert_eq!(serde_json::to_string(&per_move).unwrap(), json);
            assert_eq!(serde_json::from_str::<PerMove>(json).unwrap(), per_move);
            assert_eq!(per_move.to_string(), words);
        }
    }

    #[test]
    fn both_at_once_and_more_than_an_hour_are_refused() {
        let refused = |json| serde_json::from_str::<PerMove>(json).unwrap_err().to_string();
        assert!(refused(r#"{"increment_s":2,"delay_s":5}"#).contains("exclude each other"));
        assert!(refused(r#"{"delay_s":3601}"#).contains("too long"));
        assert!(refused(r#"{"delay_ms":5}"#).contains("unknown field"));
    }
}
