//! Board files for the boards that QEMU emulates, so that the tests run the firmware on the processors it is meant for.
//!
//! * [`Machine`]: time, serial line and sleep of the lm3s6965evb (Cortex-M3) or the microbit (Cortex-M0), whichever this is built
//!   for.
//! * [`panel`]: the switches, emulated in memory, which the test sets from outside.
//! * [`start`]: what both nodes do first.
#![no_std]

mod machine;
mod memory;
pub mod panel;
mod pins;
mod start;

pub use machine::Machine;
pub use pins::{Column, Contact, NoDelay, Output, Row, contact};
pub use start::{Started, event_memory, start};
