//! The software of Twinboard's nodes, between switches and the serial link. It has no operating system, allocation or clock of its own,
//! so that the same code runs on a microcontroller and, in virtual time, in the simulated hall.
//!
//! * [`BoardNode`]: 64 squares with reed switches ([`ReedSquares`]) or hall sensors ([`HallSquares`]), each debounced by itself, and
//!   optionally two reserve trays. Read as a [`Matrix`], over shift registers ([`ShiftChain`]) or multiplexers
//!   ([`HallMultiplexer`]).
//! * [`ClockNode`]: a chess clock: lever or two buttons, two countdowns with delay, a [`Menu`], tilt, hands, shown on seven
//!   segments ([`Tm1637Pair`]) or characters ([`Hd44780`]).
//! * [`LinkSession`]: the node's end of the serial link (`proto::link` is its specification). It keeps events until the hub has
//!   acknowledged them, and reports the events that a full buffer discards.
//!
//! # Driving a node
//!
//! Everything is a value: time goes in with each call, bytes come and go as slices. [`MainLoop`] is the loop of an image:
//!
//! ```
//! # use node_firmware::*;
//! # use proto::link::NodeTime;
//! # fn image<W: ReadBoard<Squares = u64>, L: embedded_hal::digital::OutputPin>(
//! #     identity: Identity, memory: EventMemory, wiring: W, clock: impl Fn() -> NodeTime, mut line: impl Line, mut light: L, mut watchdog: impl Watchdog,
//! # ) {
//! let node: BoardNode = BoardNode::new(identity, BoardConfig::default(), memory);
//! let mut main_loop = MainLoop::new(WiredBoard { node, wiring });
//! loop {
//!     let next = main_loop.turn(clock(), &mut line, &mut light, &mut watchdog);
//!     // Sleep until `next`, or until the line has received or takes bytes.
//!     # let _ = next;
//! }
//! # }
//! ```
//!
//! # Skipping quiet time
//!
//! A raw reading is assumed to hold until the next one is given. So a simulation need not scan when nothing changes: it calls `observe`
//! when a reading changes and `advance` at `next_due`. It gets the same events with the same times as from a scan every millisecond (a
//! property test compares the two).
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod board;
mod characters;
mod clock;
mod countdown;
mod debounce;
mod event_buffer;
mod face;
mod hall;
mod hd44780;
mod inputs;
mod link;
mod main_loop;
mod matrix;
mod menu;
mod multiplexer;
mod pins;
mod quality;
mod seven_segment;
mod shift;
mod silence;
mod squares;
mod timer;
mod tm1637;
mod update;

pub use board::{BoardConfig, BoardNode, IN_USE_US, ODD_SQUARE_US};
pub use characters::{CHARACTER_COLUMNS, Row, characters};
pub use clock::{ClockConfig, ClockInputs, ClockNode, FLAG_SOUND_US, MENU_HOLD_US, RESET_HOLD_US};
pub use countdown::{
    AdjustmentOutOfRange, Countdown, CountdownMode, DelayOutOfRange, READING_INTERVAL_US,
};
pub use debounce::{Change, Debouncer, MAX_CHANNELS};
pub use event_buffer::{DEFAULT_BUFFER_BYTES, EventMemory};
pub use face::{BLINK_US, Face, NoDisplay, ShowClock, Showing, SideFace, TENTHS_BELOW_MS};
pub use hall::{
    COUNTS_PER_LEVEL, DRIFT_INTERVAL_US, DRIFT_LIMIT_COUNTS, EMPTY_COUNTS, HallKind, HallSquares,
    LEVEL_STEP, MAGNITUDE_DEBOUNCE_US, MID_RAIL_COUNTS, OCCUPIED_COUNTS, POLARITY_DEBOUNCE_US,
    RAIL_COUNTS, START_EMPTY_COUNTS, START_SCANS, WEAK_COUNTS,
};
pub use hd44780::{HD44780_CHECK_US, Hd44780, PCF8574_ADDRESS};
pub use inputs::{BoardReading, InputError, NoTrays, ROWS, ReadBoard, ReadTrays, Samples};
pub use link::{
    HEALTH_INTERVAL_US, Identity, LinkSession, MAX_RESEND_TIMEOUT_US, RESEND_TIMEOUT_US,
    SNAPSHOT_INTERVAL_US, SensorHealth, Status,
};
pub use main_loop::{
    IDENTIFY_BLINK_US, Line, MainLoop, Node, SCAN_INTERVAL_US, SHOW_INTERVAL_US, Watchdog,
    WiredBoard, WiredClock,
};
pub use matrix::{COLUMNS, MATRIX_SETTLE_NS, Matrix};
pub use menu::{Key, Menu, MenuItem, MenuOutcome, Settings};
pub use multiplexer::{
    AnalogInput, CHANNELS, HallMultiplexer, MULTIPLEXER_SETTLE_NS, MULTIPLEXERS,
};
pub use pins::{ActiveLevel, ButtonPins, HandAwayPins, HandPins, KeyPins, LeverPins, ReadClock};
pub use proto::link::TimeControl;
pub use quality::{
    FLICKER_EDGES, LONG_BOUNCE_US, Quality, STUCK_NEIGHBOUR_CHANGES, WEAK_INCIDENTS,
};
pub use seven_segment::{COLON, Digits, seven_segment};
pub use shift::{SHIFT_HOLD_NS, ShiftChain};
pub use silence::{AWAY_US, Presence, SILENCE_MAX_US, Silence};
pub use squares::{ReedSquares, SquareChanged, Squares};
pub use timer::WrappingTimer;
pub use tm1637::{TM1637_HALF_CLOCK_NS, TM1637_REFRESH_US, Tm1637Pair};
pub use update::{ImageSlot, PAGE_BYTES, RESTART_DELAY_US, Update};

/// Version of this firmware, as sent in HELLO.
pub const FIRMWARE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Time for which a switch must keep its reading before it counts, in µs, unless configured otherwise.
pub const DEFAULT_DEBOUNCE_US: u32 = 5_000;
