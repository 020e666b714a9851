//! Two countdowns, of which at most one runs: the chess clock itself, exact to the microsecond inside and shown to the
//! millisecond.

use proto::link::{ClockDisplay, NodeTime, Side};

/// Time between two readings while a side runs, in µs.
pub const READING_INTERVAL_US: u64 = 1_000_000;

/// What the clock is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// White's time at the start, in ms.
    pub white_ms: u32,
    /// Black's time at the start, in ms.
    pub black_ms: u32,
    /// Time after each press before the opponent's time begins to count, in ms (US Chess: delay). 0 = none.
    pub delay_ms: u32,
}

impl TimeControl {
    /// The same time for both, without delay.
    pub const fn even(base_ms: u32) -> Self {
        Self { white_ms: base_ms, black_ms: base_ms, delay_ms: 0 }
    }
}

/// What the clock is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountdownMode {
    /// Set, and waiting for Black's press.
    Set,
    /// This side's time runs.
    Running(Side),
    /// Stopped in the middle; this side's time runs when it goes on.
    Paused(Side),
}

/// A chess clock.
#[derive(Clone, Debug)]
pub struct Countdown {
    now: NodeTime,
    mode: CountdownMode,
    white_us: u64,
    black_us: u64,
    delay_us: u64,
    delay_left_us: u64,
    first_flag: Option<Side>,
    next_reading: NodeTime,
}

impl Countdown {
    /// A clock that is set and stands at the start of node time.
    pub const fn new(control: TimeControl) -> Self {
        Self {
            now: NodeTime::ZERO,
            mode: CountdownMode::Set,
            white_us: control.white_ms as u64 * 1000,
            black_us: control.black_ms as u64 * 1000,
            delay_us: control.delay_ms as u64 * 1000,
            delay_left_us: 0,
            first_flag: None,
            next_reading: NodeTime::MAX,
        }
    }

    /// Sets the clock anew at its present time.
    pub fn set(&mut self, control: TimeControl) {
        *self = Self { now: self.now, ..Self::new(control) };
    }

    /// The time up to which it has counted.
    pub const fn now(&self) -> NodeTime {
        self.now
    }

    /// What it is doing.
    pub const fn mode(&self) -> CountdownMode {
        self.mode
    }

    /// Counts up to `to`; calls `reading` at the exact time of everything to tell on the way: a flag, or another second. An
    /// earlier time than [`Self::now`] changes nothing.
    pub fn advance(&mut self, to: NodeTime, mut reading: impl FnMut(NodeTime, ClockDisplay)) {
        while let Some(due) = self.next_due().filter(|&due| due <= to) {
            let flags_before = self.flags();
            self.count(due);
            if due >= self.next_reading || self.flags() != flags_before {
                self.schedule_reading();
                reading(due, self.display());
            }
        }
        self.count(to);
    }

    /// When it next has something to tell; `None` while nothing changes.
    pub fn next_due(&self) -> Option<NodeTime> {
        let CountdownMode::Running(side) = self.mode else { return None };
        let left_us = self.left_us(side);
        let flag = self.now.plus_micros(self.delay_left_us + left_us);
        (left_us > 0).then(|| flag.min(self.next_reading))
    }

    fn count(&mut self, to: NodeTime) {
        let mut elapsed_us = to.micros_since(self.now);
        self.now = self.now.max(to);
        let CountdownMode::Running(side) = self.mode else { return };
        let delayed_us = elapsed_us.min(self.delay_left_us);
        self.delay_left_us -= delayed_us;
        elapsed_us -= delayed_us;
        let left_us = match side {
            Side::White => &mut self.white_us,
            Side::Black => &mut self.black_us,
        };
        *left_us = left_us.saturating_sub(elapsed_us);
        if *left_us == 0 {
            self.first_flag.get_or_insert(side);
        }
    }

    const fn left_us(&self, side: Side) -> u64 {
        match side {
            Side::White => self.white_us,
            Side::Black => self.black_us,
        }
    }

    const fn flags(&self) -> (bool, bool) {
        (self.white_us == 0, self.black_us == 0)
    }

    fn schedule_reading(&mut self) {
        self.next_reading = self.now.plus_micros(READING_INTERVAL_US);
    }

    /// `by` presses. While it is set, Black's press starts White's time and White's press does nothing. While it is paused, the
    /// press decides whose time goes on. A press while the opponent's time runs already does nothing.
    pub fn press(&mut self, by: Side) {
        match (self.mode, by) {
            (CountdownMode::Set, Side::White) => {}
            (CountdownMode::Set, Side::Black) => self.run(Side::White),
            (CountdownMode::Running(side), by) if side == by => self.run(by.other()),
            (CountdownMode::Running(_), _) => {}
            (CountdownMode::Paused(_), by) => {
                self.mode = CountdownMode::Paused(by.other());
                self.delay_left_us = self.delay_us;
            }
        }
    }

    /// Starts White's time without a press, or goes on after a pause.
    pub fn start(&mut self) {
        match self.mode {
            CountdownMode::Set => self.run(Side::White),
            CountdownMode::Running(_) => {}
            CountdownMode::Paused(side) => {
                self.mode = CountdownMode::Running(side);
                self.schedule_reading();
            }
        }
    }

    /// Stops both times.
    pub fn pause(&mut self) {
        if let CountdownMode::Running(side) = self.mode {
            self.mode = CountdownMode::Paused(side);
        }
    }

    fn run(&mut self, side: Side) {
        self.mode = CountdownMode::Running(side);
        self.delay_left_us = self.delay_us;
        self.schedule_reading();
    }

    /// What the displays show now. Times are rounded up, so that 0 means a fallen flag.
    pub fn display(&self) -> ClockDisplay {
        let running = match self.mode {
            CountdownMode::Running(side) => Some(side),
            CountdownMode::Set | CountdownMode::Paused(_) => None,
        };
        ClockDisplay {
            white_ms: shown_ms(self.white_us),
            black_ms: shown_ms(self.black_us),
            delay_left_ms: shown_ms(self.delay_left_us),
            running,
            first_flag: self.first_flag,
        }
    }
}

fn shown_ms(us: u64) -> u32 {
    u32::try_from(us.div_ceil(1000)).unwrap_or(u32::MAX)
}
