//! The software of Twinboard's nodes: what stands between switches and the serial link. Without operating system, allocation or
//! clock of its own, so that the same code runs on a microcontroller and, in virtual time, in the simulated hall.
//!
//! * [`BoardNode`]: 64 reed switches, read as a [`Matrix`], each with its own debounce time, and optionally two reserve trays.
//! * [`ClockNode`]: a chess clock: lever or two buttons, two countdowns with delay, tilt, hands.
//! * [`LinkSession`]: the node's end of the serial link (`proto::link` is its specification): events are kept until the hub has
//!   acknowledged them, and what a full buffer discards is told.
//!
//! # Driving a node
//!
//! Everything is a value: time goes in with each call, bytes come and go as slices. A node's main loop is
//!
//! ```
//! # use node_firmware::{BoardNode, BoardConfig, Identity, Matrix, ActiveLevel};
//! # use proto::link::NodeTime;
//! # fn turn<S: node_firmware::Scan>(node: &mut BoardNode, matrix: &mut S, now: NodeTime, received: &[u8]) -> Result<(), S::Error> {
//! node.poll(now, matrix)?;        // scan, debounce, timers
//! node.receive(received);         // from the line
//! let mut bytes = [0; 64];
//! let length = node.transmit(&mut bytes); // to the line, until it is 0
//! # let _ = length;
//! # Ok(())
//! # }
//! ```
//!
//! # Skipping quiet time
//!
//! A raw reading is taken to hold until the next one is given. So a simulation need not scan when nothing changes: it calls
//! `observe` when a reading changes and `advance` at `next_due`, and gets the same events with the same times as from a scan every
//! millisecond (a property test compares the two).
#![no_std]

#[cfg(test)]
extern crate std;

mod board;
mod clock;
mod countdown;
mod debounce;
mod event_buffer;
mod link;
mod matrix;
mod pins;

pub use board::{BoardConfig, BoardNode, BoardReading};
pub use clock::{ClockConfig, ClockInputs, ClockNode};
pub use countdown::{AdjustmentOutOfRange, Countdown, CountdownMode, READING_INTERVAL_US};
pub use debounce::{Change, Debouncer, FLICKER_EDGES, MAX_CHANNELS};
pub use event_buffer::DEFAULT_BUFFER_BYTES;
pub use link::{
    HEALTH_INTERVAL_US, Identity, LinkSession, MAX_RESEND_TIMEOUT_US, RESEND_TIMEOUT_US,
    SNAPSHOT_INTERVAL_US, SensorHealth, Status,
};
pub use matrix::{Matrix, MatrixError, Scan};
pub use pins::{ActiveLevel, ButtonPins, HandPins, LeverPins, ReadClock};
pub use proto::link::TimeControl;

/// Version of this firmware, as HELLO tells it.
pub const FIRMWARE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a switch must keep its reading before it counts, in µs, unless configured otherwise.
pub const DEFAULT_DEBOUNCE_US: u32 = 5_000;
