//! The Raspberry Pi Pico and the Pico 2 as nodes: what all images for them do alike. Each image adds its wiring: see `src/bin`.
//!
//! * [`Pico::start`]: clocks, pins, the node's name, the serial line that the strap chooses, the watchdog.
//! * [`Pico::hall_board`], [`Pico::clock`]: wiring that two images share.
//! * [`Pico::run`]: the main loop, for ever.
//! * [`image!`]: the image's header, with its name and version, and its start.
//!
//! Both chips have the same devices, and their libraries the same names: [`chip`] has what differs.
#![no_std]

pub mod chip;
mod clock_wiring;
mod converter;
#[cfg(not(pico2))]
mod flash_id;
mod hall_board;
mod i2c;
mod image;
mod restart;
mod run;
mod start;
mod uart;
mod usb;
mod wires;

pub use clock_wiring::{Clock, Presses};
pub use converter::Converter;
#[doc(hidden)]
pub use cortex_m::singleton;
pub use hall_board::{HallBoard, HallTrays};
pub use i2c::Bus;
#[doc(hidden)]
pub use node_firmware::FIRMWARE_VERSION;
#[doc(hidden)]
pub use node_runtime::Role;
#[doc(hidden)]
pub use proto::link::{IMAGE_HEADER_BYTES, ImageHeader};
pub use start::{Pico, event_memory};
pub use wires::{Input, OpenDrain, Output, Pause, Wires};
