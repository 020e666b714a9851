//! Messages of a clock: their bodies.

use serde::{Deserialize, Serialize};

use super::schema::{wire_enums, wire_structs};
use super::{NodeTime, Side};

wire_enums! {
    /// Kind of a clock's press.
    #[derive(Copy, Hash)]
    enum PressKind {
        /// A lever: a press on the side that is already down cannot be seen.
        Lever,
        /// Two buttons: every press is seen.
        Buttons,
    }

    /// Kind of time for each ply besides the base time.
    #[derive(Copy, Hash)]
    enum DelayKind {
        /// The time begins to count only when the delay is over (US Chess: delay).
        Delay,
        /// The time counts at once; with the press, what the ply took is given back, at most the delay.
        Bronstein,
        /// With the press the whole amount is added (Fischer).
        Increment,
    }

    /// Side of the clock on which a hand is seen.
    #[derive(Copy, Hash)]
    enum HandOrigin {
        /// The board's side.
        Board,
        /// The side away from the board.
        Away,
    }
}

wire_structs! {
    /// Equipment of a clock node.
    #[derive(Copy, Hash)]
    struct ClockKind {
        /// Kind of its press.
        press: PressKind,
        /// Whether it can tell a hand near it.
        hand_sensor: bool,
    }

    /// Time control of a clock.
    #[derive(Copy, Hash)]
    struct TimeControl {
        /// White's time at the start, in ms; at most [`super::MAX_CLOCK_MS`].
        white_ms: u32,
        /// Black's time at the start, in ms; at most [`super::MAX_CLOCK_MS`].
        black_ms: u32,
        /// Delay or increment of each ply, in ms; at most [`super::MAX_DELAY_MS`], 0 = none.
        delay_ms: u32,
        /// Kind of the delay.
        delay_kind: DelayKind,
    }

    /// Delay or increment of each ply.
    #[derive(Copy, Hash)]
    struct ClockDelay {
        /// Delay or increment, in ms; at most [`super::MAX_DELAY_MS`], 0 = none.
        delay_ms: u32,
        /// Kind of the delay.
        delay_kind: DelayKind,
    }

    /// The whole state of a clock.
    #[derive(Copy)]
    struct ClockState {
        /// The displayed times.
        display: ClockDisplay,
        /// Side that pressed last: a lever's lower side. `None`: not known (buttons, before the first press).
        pressed: Option<Side>,
        /// Whether the clock is tilted.
        tilted: bool,
        /// Whether a hand is near White's side.
        white_hand: bool,
        /// Whether a hand is near Black's side.
        black_hand: bool,
        /// Time control in effect: the one that was set, with the delay that was ordered since.
        control: TimeControl,
        /// Stopped in the middle: the side whose time goes on. `None`: running, or set and waiting.
        paused: Option<Side>,
    }

    /// Displayed times of a clock, exact to the millisecond.
    #[derive(Copy)]
    struct ClockDisplay {
        /// White's remaining time in ms, rounded up; 0 = flag fallen.
        white_ms: u32,
        /// Black's remaining time in ms, rounded up; 0 = flag fallen.
        black_ms: u32,
        /// Remaining delay of the running side before its time begins to count, in ms.
        delay_left_ms: u32,
        /// Side whose time runs; `None` = stopped.
        running: Option<Side>,
        /// Side whose flag fell first.
        first_flag: Option<Side>,
    }

    /// A player pressed the clock. Event.
    #[derive(Copy)]
    struct Press {
        /// Node time of the press.
        time: NodeTime,
        /// The player who pressed, which starts the opponent's clock.
        by: Side,
    }

    /// Reading of the clock: on every press, start, stop, setting, adjustment and flag, and once a second while a side runs. Event.
    #[derive(Copy)]
    struct ClockReading {
        /// Node time of the reading.
        time: NodeTime,
        /// The displayed times.
        display: ClockDisplay,
    }

    /// The clock was tilted, or is upright again. Event.
    #[derive(Copy)]
    struct Tilt {
        /// Node time of the change.
        time: NodeTime,
        /// Whether it is tilted now.
        on: bool,
    }

    /// A hand came near the clock, or left it. Event.
    #[derive(Copy)]
    struct Hand {
        /// Node time of the change.
        time: NodeTime,
        /// Side of the clock.
        side: Side,
        /// Whether it is near now.
        near: bool,
    }

    /// A hand came near one side of a clock with two sensors for each player, or left it. Event.
    #[derive(Copy)]
    struct HandFrom {
        /// Node time of the change.
        time: NodeTime,
        /// Side of the clock.
        side: Side,
        /// Whether it is near now.
        near: bool,
        /// Side of the clock on which it is seen.
        from: HandOrigin,
    }
}

impl TimeControl {
    /// The same time for both, without delay.
    pub const fn even(base_ms: u32) -> Self {
        Self { white_ms: base_ms, black_ms: base_ms, delay_ms: 0, delay_kind: DelayKind::Delay }
    }

    /// Whether both times and the delay are such that a clock can be set to them: times from 1 ms to
    /// [`super::MAX_CLOCK_MS`], a delay of at most [`super::MAX_DELAY_MS`].
    pub const fn is_valid(&self) -> bool {
        matches!(self.white_ms, 1..=super::MAX_CLOCK_MS)
            && matches!(self.black_ms, 1..=super::MAX_CLOCK_MS)
            && self.delay().is_valid()
    }

    /// Delay or increment of each ply.
    pub const fn delay(&self) -> ClockDelay {
        ClockDelay { delay_ms: self.delay_ms, delay_kind: self.delay_kind }
    }
}

impl ClockDelay {
    /// Whether a clock can give so much: at most [`super::MAX_DELAY_MS`].
    pub const fn is_valid(&self) -> bool {
        self.delay_ms <= super::MAX_DELAY_MS
    }
}
