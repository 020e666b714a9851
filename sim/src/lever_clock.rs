//! A lever clock while a game is staged: time control, presses, and running time.
//!
//! A clock with several periods counts presses, as real ones do: a player who forgets one gets the next period's time a press
//! late. A fallen flag does not stop this clock: times go below zero, so that staging knows how much time was missing.

use rules::{Color, DelayKind, Period, TimeControl};

use crate::script::{ClockAct, ClockTouch};

const MINUTE_S: u32 = 60;

/// A clock and its time control.
#[derive(Clone, Debug)]
pub(crate) struct LeverClock {
    time: TimeControl,
    sides: [Side; 2],
    running: Option<Color>,
    /// Begin of the running side's turn, and the time up to which it is counted, microseconds.
    turn_us: u64,
    counted_us: u64,
}

/// One player's side.
#[derive(Clone, Copy, Debug)]
struct Side {
    left_us: i64,
    /// The least that was ever left.
    lowest_us: i64,
    /// Time given by presses.
    given_us: i64,
    presses: u32,
}

impl LeverClock {
    /// A clock that shows the first period's time, and extra time for White and Black, milliseconds, before Black starts it.
    ///
    /// With an increment or a Bronstein delay the first ply's share is there from the start, as the nodes' firmware has it.
    pub(crate) fn new(time: &TimeControl, extra_ms: [u32; 2]) -> LeverClock {
        let sides = set_ms(time, extra_ms).map(|ms| {
            let left_us = (i64::from(ms) + i64::from(first_share_ms(time))) * 1_000;
            Side { left_us, lowest_us: left_us, given_us: 0, presses: 0 }
        });
        LeverClock { time: time.clone(), sides, running: None, turn_us: 0, counted_us: 0 }
    }

    /// A clock to which all this has happened, up to a moment.
    pub(crate) fn after(time: &TimeControl, acts: &[ClockAct], until_us: u64) -> LeverClock {
        let mut clock = LeverClock::new(time, [0; 2]);
        for act in acts {
            clock.take(*act);
        }
        clock.run_until(until_us);
        clock
    }

    /// Applies an act. Returns the milliseconds that a new period gave at the press, and their player.
    pub(crate) fn take(&mut self, act: ClockAct) -> Option<(Color, u32)> {
        self.run_until(act.t_us);
        match act.touch {
            ClockTouch::Press(by) => self.press(act.t_us, by),
            ClockTouch::Stop => {
                self.running = None;
                None
            }
            ClockTouch::Tilt(_) | ClockTouch::Hand(..) | ClockTouch::HandFrom(..) => None,
        }
    }

    fn press(&mut self, t_us: u64, by: Color) -> Option<(Color, u32)> {
        let bonus = match self.running {
            Some(running) if running == by => self.end_ply(t_us, by),
            Some(_) => return None,
            None => 0,
        };
        self.running = Some(by.other());
        self.turn_us = t_us;
        self.counted_us = t_us;
        (bonus > 0).then_some((by, bonus))
    }

    /// Ends a ply; returns the time that the player gets from a new period, milliseconds.
    fn end_ply(&mut self, t_us: u64, by: Color) -> u32 {
        // To the microsecond, which the time control's gain in milliseconds is not.
        let gained_us = match self.time.delay() {
            DelayKind::Bronstein => t_us.saturating_sub(self.turn_us).min(delay_us(&self.time)),
            DelayKind::Us => u64::from(self.time.increment_s()) * 1_000_000,
        };
        let side = &mut self.sides[index(by)];
        side.presses = side.presses.saturating_add(1);
        let bonus_ms = self.time.period_gain_ms(side.presses);
        let given_us = i64::try_from(gained_us + bonus_ms * 1_000).unwrap_or(i64::MAX);
        side.left_us = side.left_us.saturating_add(given_us);
        side.given_us = side.given_us.saturating_add(given_us);
        u32::try_from(bonus_ms).unwrap_or(u32::MAX)
    }

    /// Lets time pass.
    pub(crate) fn run_until(&mut self, t_us: u64) {
        let Some(color) = self.running else { return };
        let runs_from_us = self.counted_us.max(self.turn_us + self.standing_us());
        let elapsed_us = t_us.saturating_sub(runs_from_us);
        self.counted_us = self.counted_us.max(t_us);
        let side = &mut self.sides[index(color)];
        side.left_us = side.left_us.saturating_sub(i64::try_from(elapsed_us).unwrap_or(i64::MAX));
        side.lowest_us = side.lowest_us.min(side.left_us);
    }

    /// Time that the clock is stopped after a press, microseconds.
    fn standing_us(&self) -> u64 {
        match self.time.delay() {
            DelayKind::Us => delay_us(&self.time),
            DelayKind::Bronstein => 0,
        }
    }

    /// A player's time, microseconds; below nothing after the flag.
    pub(crate) fn left_us(&self, color: Color) -> i64 {
        self.sides[index(color)].left_us
    }

    /// Time that presses have given a player, microseconds.
    pub(crate) fn given_us(&self, color: Color) -> i64 {
        self.sides[index(color)].given_us
    }

    /// Side whose time runs.
    pub(crate) fn running(&self) -> Option<Color> {
        self.running
    }

    /// Time at which a player's flag falls if the player's time runs from now on, microseconds.
    pub(crate) fn flag_us(&self, now_us: u64, color: Color) -> u64 {
        let runs_from_us = match self.running {
            Some(running) if running == color => now_us.max(self.turn_us + self.standing_us()),
            _ => now_us,
        };
        runs_from_us.saturating_add(u64::try_from(self.left_us(color)).unwrap_or(0))
    }

    /// The time control with which no flag would have fallen so far: this one, or one whose first period is the next whole
    /// minute that is more than what was needed.
    pub(crate) fn sufficient(&self) -> TimeControl {
        let lowest_us = self.sides.iter().map(|side| side.lowest_us).min().unwrap_or(0);
        if lowest_us > 0 {
            return self.time.clone();
        }
        let base_us = i64::try_from(self.time.start_ms() * 1_000).unwrap_or(i64::MAX);
        let needed_us = u64::try_from(base_us.saturating_sub(lowest_us)).unwrap_or(0);
        let minutes = needed_us / (u64::from(MINUTE_S) * 1_000_000) + 1;
        let base_s = u32::try_from(minutes).unwrap_or(u32::MAX).saturating_mul(MINUTE_S);
        with_base(&self.time, base_s)
    }
}

/// The time control with another first period; the longest there is where it is longer than any may be.
pub(crate) fn with_base(time: &TimeControl, base_s: u32) -> TimeControl {
    let mut periods: Vec<Period> = time.periods().to_vec();
    if let Some(first) = periods.first_mut() {
        first.base_s = base_s.min(rules::time_control::MAX_BASE_S);
    }
    TimeControl::new(periods, time.increment_s(), time.delay_s(), time.delay())
        .unwrap_or_else(|_| time.clone())
}

/// The first period's time, seconds.
pub(crate) fn base_s(time: &TimeControl) -> u32 {
    time.periods().first().map_or(0, |period| period.base_s)
}

/// Times of White's clock and Black's, milliseconds, without the first ply's share.
pub(crate) fn set_ms(time: &TimeControl, extra_ms: [u32; 2]) -> [u32; 2] {
    extra_ms.map(|extra_ms| base_s(time).saturating_mul(1_000).saturating_add(extra_ms))
}

/// Time that the clock shows beyond the set time from the start, milliseconds.
pub(crate) fn first_share_ms(time: &TimeControl) -> u32 {
    let per_move_s = match time.delay() {
        DelayKind::Bronstein => time.delay_s(),
        DelayKind::Us => time.increment_s(),
    };
    per_move_s.saturating_mul(1_000)
}

fn delay_us(time: &TimeControl) -> u64 {
    u64::from(time.delay_s()) * 1_000_000
}

const fn index(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

#[cfg(test)]
mod tests;
