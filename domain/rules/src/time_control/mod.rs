//! Time of each player, and the time that a clock may give back.
//!
//! A time control is a list of periods and, for each move, either an increment or a delay. A judgment of a clock needs it: a display
//! that goes up after a move is right with an increment and wrong without one.

mod error;
mod per_move;
mod pgn_tag;

use serde::{Deserialize, Serialize};

pub use error::TimeControlError;
pub use per_move::PerMove;

/// Maximum number of periods of a time control. Real ones have at most four.
pub const MAX_PERIODS: usize = 8;
/// Maximum base time of one period, in seconds: a day.
pub const MAX_BASE_S: u32 = 24 * 3_600;
/// Maximum number of moves of one period.
pub const MAX_PERIOD_MOVES: u32 = 1_000;
/// Maximum increment or delay, in seconds: an hour.
pub const MAX_PER_MOVE_S: u32 = 3_600;

/// One period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// Time added for this period, in seconds.
    pub base_s: u32,
    /// Moves that each player completes in this period; none: all the rest of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
}

/// Kind of a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DelayKind {
    /// The clock waits for the delay before it counts down. It never goes up.
    #[default]
    Us,
    /// The clock counts down at once, and gives back what the move took, at most the delay.
    Bronstein,
}

/// The time that each player has for a game.
///
/// The periods follow each other. A last period with a number of moves is played again and again.
/// Constructed only through checks, so every value keeps the bounds of this module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "TimeControlFields", into = "TimeControlFields")]
pub struct TimeControl {
    periods: Vec<Period>,
    per_move: PerMove,
}

/// The form in files: `{"periods":[{"base_s":5400,"moves":40},{"base_s":1800}],"increment_s":1}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeControlFields {
    periods: Vec<Period>,
    #[serde(default, skip_serializing_if = "is_zero")]
    increment_s: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    delay_s: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delay: Option<DelayKind>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
const fn is_zero(seconds: &u32) -> bool {
    *seconds == 0
}

impl TryFrom<TimeControlFields> for TimeControl {
    type Error = TimeControlError;

    fn try_from(fields: TimeControlFields) -> Result<Self, Self::Error> {
        let TimeControlFields { periods, increment_s, delay_s, delay } = fields;
        TimeControl::new(periods, increment_s, delay_s, delay.unwrap_or_default())
    }
}

impl From<TimeControl> for TimeControlFields {
    fn from(control: TimeControl) -> TimeControlFields {
        let TimeControl { periods, per_move } = control;
        let (increment_s, delay_s) = (per_move.increment_s(), per_move.delay_s());
        let delay = (delay_s > 0).then_some(per_move.delay());
        TimeControlFields { periods, increment_s, delay_s, delay }
    }
}

impl TimeControl {
    /// A time control of these periods, with an increment or a delay for each move. `delay` does
    /// not matter while `delay_s` is 0.
    ///
    /// # Errors
    ///
    /// When there is no period or more than [`MAX_PERIODS`], when a period before the last has no number of moves, or when a number is
    /// out of bounds. Also when a player has no time for the first move, or when there is both an increment and a delay.
    pub fn new(
        periods: Vec<Period>,
        increment_s: u32,
        delay_s: u32,
        delay: DelayKind,
    ) -> Result<TimeControl, TimeControlError> {
        if periods.is_empty() {
            return Err(TimeControlError::NoPeriod);
        }
        if periods.len() > MAX_PERIODS {
            return Err(TimeControlError::Periods(periods.len()));
        }
        for (index, period) in periods.iter().enumerate() {
            let number = index + 1;
            match period.moves {
                None if number < periods.len() => {
                    return Err(TimeControlError::EndlessPeriod { number });
                }
                Some(moves) if moves == 0 || moves > MAX_PERIOD_MOVES => {
                    return Err(TimeControlError::Moves { number, moves });
                }
                _ => {}
            }
            let base_s = period.base_s;
            if base_s > MAX_BASE_S || (base_s == 0 && increment_s == 0 && delay_s == 0) {
                return Err(TimeControlError::Base { number, base_s });
            }
        }
        Ok(TimeControl { periods, per_move: PerMove::new(increment_s, delay_s, delay)? })
    }

    /// One period for the whole game, with a delay of the US kind (0: none).
    ///
    /// # Errors
    ///
    /// When a number is out of bounds, as for [`new`](Self::new).
    pub fn sudden_death(base_s: u32, delay_s: u32) -> Result<TimeControl, TimeControlError> {
        TimeControl::new(vec![Period { base_s, moves: None }], 0, delay_s, DelayKind::Us)
    }

    /// One period for the whole game, with an increment for each move.
    ///
    /// # Errors
    ///
    /// When a number is out of bounds, as for [`new`](Self::new).
    pub fn fischer(base_s: u32, increment_s: u32) -> Result<TimeControl, TimeControlError> {
        let whole = Period { base_s, moves: None };
        TimeControl::new(vec![whole], increment_s, 0, DelayKind::default())
    }

    /// The periods, at least one.
    #[must_use]
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// Increment or delay of each move.
    #[must_use]
    pub const fn per_move(&self) -> PerMove {
        self.per_move
    }

    /// Added to a player's time for each move, in seconds.
    #[must_use]
    pub const fn increment_s(&self) -> u32 {
        self.per_move.increment_s()
    }

    /// Free time for each move, in seconds.
    #[must_use]
    pub const fn delay_s(&self) -> u32 {
        self.per_move.delay_s()
    }

    /// Kind of the delay. [`DelayKind::Us`] when there is none.
    #[must_use]
    pub const fn delay(&self) -> DelayKind {
        self.per_move.delay()
    }

    /// Base time of the first period, in milliseconds: what both clocks show before the game. Clocks
    /// that add the first increment at the start show [`increment_s`](Self::increment_s) more.
    #[must_use]
    pub fn start_ms(&self) -> u64 {
        base_ms(self.periods.first())
    }

    /// Time that a player's clock may gain by the player's move `number` (1 for the first), when the move took `used_ms` of running
    /// clock. In milliseconds:
    ///
    /// `gain = increment + min(used, Bronstein delay) + base of the period that begins after the move`.
    ///
    /// A delay of the US kind gives nothing: the clock waits for that time instead.
    #[must_use]
    pub fn gain_ms(&self, number: u32, used_ms: u64) -> u64 {
        let given_back = seconds_ms(self.per_move.given_back_s()).min(used_ms);
        seconds_ms(self.increment_s())
            .saturating_add(given_back)
            .saturating_add(self.period_gain_ms(number))
    }

    /// Base time of the period that begins when a player has completed `number` moves, in
    /// milliseconds; 0 when none begins then.
    ///
    /// Clocks that count moves add it with that move. Others add the next period when the display
    /// reaches zero: see [`gain_at_zero_ms`](Self::gain_at_zero_ms).
    #[must_use]
    pub fn period_gain_ms(&self, number: u32) -> u64 {
        let mut completed = 0;
        for (index, period) in self.periods.iter().enumerate() {
            let Some(moves) = period.moves else { return 0 };
            completed += moves;
            if completed == number {
                return base_ms(self.periods.get(index + 1).or(Some(period)));
            }
            if completed > number {
                return 0;
            }
        }
        // The last period has a number of moves: it is played again and again.
        let last = self.periods.last();
        let moves = last.and_then(|period| period.moves).unwrap_or(MAX_PERIOD_MOVES);
        if (number - completed).is_multiple_of(moves) { base_ms(last) } else { 0 }
    }

    /// Base time that a clock without a move counter adds when it reaches zero in period `index` (0 for the first), in milliseconds.
    /// `None` when that zero is a fallen flag.
    #[must_use]
    pub fn gain_at_zero_ms(&self, index: usize) -> Option<u64> {
        let period = self.periods.get(index).or(self.periods.last())?;
        period.moves?;
        Some(base_ms(self.periods.get(index + 1).or(Some(period))))
    }
}

fn seconds_ms(seconds: u32) -> u64 {
    u64::from(seconds) * 1_000
}

fn base_ms(period: Option<&Period>) -> u64 {
    period.map_or(0, |period| seconds_ms(period.base_s))
}

#[cfg(test)]
mod tests;
