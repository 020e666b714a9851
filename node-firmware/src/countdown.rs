//! Two countdowns, of which at most one runs: the chess clock itself, exact to the microsecond inside and shown to the
//! millisecond.

use proto::link::{
    ClockAdjustment, ClockDelay, ClockDisplay, DelayKind, MAX_CLOCK_MS, NodeTime, Side, TimeControl,
};

/// Time between two readings while a side runs, in µs.
pub const READING_INTERVAL_US: u64 = 1_000_000;

/// Mode of a countdown.
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
    set_to: TimeControl,
    /// Delay of the plies that begin from now on.
    delay: ClockDelay,
    /// Delay of the current ply.
    ply_delay: ClockDelay,
    delay_left_us: u64,
    /// Time that the running side has used in its ply, after the delay; Bronstein gives it back up to its limit.
    used_us: u64,
    first_flag: Option<Side>,
    next_reading: NodeTime,
}

impl Countdown {
    /// A clock that is set and stopped at the start of node time.
    pub const fn new(control: TimeControl) -> Self {
        // With Bronstein and increment the first ply's share is there from the start, as it is before every other ply:
        // so Bronstein comes out as a delay does.
        let first_us = match control.delay_kind {
            DelayKind::Delay => 0,
            DelayKind::Bronstein | DelayKind::Increment => control.delay_ms as u64 * 1000,
        };
        Self {
            now: NodeTime::ZERO,
            mode: CountdownMode::Set,
            white_us: control.white_ms as u64 * 1000 + first_us,
            black_us: control.black_ms as u64 * 1000 + first_us,
            set_to: control,
            delay: control.delay(),
            ply_delay: control.delay(),
            delay_left_us: 0,
            used_us: 0,
            first_flag: None,
            next_reading: NodeTime::MAX,
        }
    }

    /// Sets the clock for a new game at its present time.
    pub fn set(&mut self, control: TimeControl) {
        *self = Self { now: self.now, ..Self::new(control) };
    }

    /// The time up to which it has counted.
    pub const fn now(&self) -> NodeTime {
        self.now
    }

    /// Returns the mode.
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

    /// Returns the time of the next reading (a flag, or another second); `None` while nothing changes.
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
        self.used_us = self.used_us.saturating_add(elapsed_us);
        let left_us = self.left_us_mut(side);
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

    const fn left_us_mut(&mut self, side: Side) -> &mut u64 {
        match side {
            Side::White => &mut self.white_us,
            Side::Black => &mut self.black_us,
        }
    }

    /// Returns the time control that was set, which is also that of the next game.
    pub const fn set_to(&self) -> TimeControl {
        self.set_to
    }

    /// Returns the time control in effect: the one that was set, with the delay that was changed since.
    pub const fn control(&self) -> TimeControl {
        let ClockDelay { delay_ms, delay_kind } = self.delay;
        TimeControl { delay_ms, delay_kind, ..self.set_to }
    }

    /// The side whose time goes on after a pause.
    pub const fn paused(&self) -> Option<Side> {
        match self.mode {
            CountdownMode::Paused(side) => Some(side),
            CountdownMode::Set | CountdownMode::Running(_) => None,
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
            (CountdownMode::Running(side), by) if side == by => {
                self.end_ply(by);
                self.run(by.other());
            }
            (CountdownMode::Running(_), _) => {}
            (CountdownMode::Paused(side), by) => {
                if side == by {
                    self.end_ply(by);
                }
                self.mode = CountdownMode::Paused(by.other());
                self.begin_ply();
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

    /// Adds to what is left, or takes from it; the ply under way goes on. A flag that had fallen is up again where there is
    /// time again.
    ///
    /// # Errors
    /// If a time would be none or more than the displays can show; nothing is changed.
    pub fn adjust(&mut self, adjustment: ClockAdjustment) -> Result<(), AdjustmentOutOfRange> {
        let white_us = adjusted_us(self.white_us, adjustment.white_ms)?;
        let black_us = adjusted_us(self.black_us, adjustment.black_ms)?;
        (self.white_us, self.black_us) = (white_us, black_us);
        self.first_flag = match self.flags() {
            (true, true) => self.first_flag,
            (true, false) => Some(Side::White),
            (false, true) => Some(Side::Black),
            (false, false) => None,
        };
        Ok(())
    }

    /// Sets another delay for every ply that begins from now on, until the clock is set again. The remaining times and the current ply
    /// stay as they are: both players get the new delay for a whole ply first.
    ///
    /// # Errors
    /// If it is longer than [`proto::link::MAX_DELAY_MS`]; nothing is changed.
    pub fn set_delay(&mut self, delay: ClockDelay) -> Result<(), DelayOutOfRange> {
        if !delay.is_valid() {
            return Err(DelayOutOfRange);
        }
        self.delay = delay;
        Ok(())
    }

    fn run(&mut self, side: Side) {
        self.mode = CountdownMode::Running(side);
        self.begin_ply();
        self.schedule_reading();
    }

    fn begin_ply(&mut self) {
        self.used_us = 0;
        self.ply_delay = self.delay;
        self.delay_left_us = match self.ply_delay.delay_kind {
            DelayKind::Delay => delay_us(self.ply_delay),
            DelayKind::Bronstein | DelayKind::Increment => 0,
        };
    }

    /// Adds the time that `side` gets for having made its ply; none after its flag has fallen.
    fn end_ply(&mut self, side: Side) {
        let most_us = delay_us(self.ply_delay);
        let given_us = match self.ply_delay.delay_kind {
            DelayKind::Delay => 0,
            DelayKind::Bronstein => self.used_us.min(most_us),
            DelayKind::Increment => most_us,
        };
        let left_us = self.left_us_mut(side);
        if *left_us > 0 {
            *left_us = (*left_us + given_us).min(MAX_CLOCK_US);
        }
    }

    /// Returns the displayed times. They are rounded up, so that 0 means a fallen flag.
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

const MAX_CLOCK_US: u64 = MAX_CLOCK_MS as u64 * 1000;

/// An adjustment would leave no time, or more than the displays can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdjustmentOutOfRange;

/// A delay is longer than a clock can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayOutOfRange;

const fn delay_us(delay: ClockDelay) -> u64 {
    delay.delay_ms as u64 * 1000
}

fn adjusted_us(left_us: u64, added_ms: i32) -> Result<u64, AdjustmentOutOfRange> {
    if added_ms == 0 {
        return Ok(left_us);
    }
    let adjusted = left_us.checked_add_signed(i64::from(added_ms) * 1000);
    adjusted.filter(|us| (1..=MAX_CLOCK_US).contains(us)).ok_or(AdjustmentOutOfRange)
}

fn shown_ms(us: u64) -> u32 {
    u32::try_from(us.div_ceil(1000)).unwrap_or(u32::MAX)
}
