//! The Raspberry Pi Pico as a node: what all images for it do alike. Each image adds its wiring: see `src/bin`.
//!
//! * [`Pico::start`]: clocks, pins, the node's name, the serial line that the strap chooses, the watchdog.
//! * [`Pico::hall_board`], [`Pico::clock`]: wiring that two images share.
//! * [`Pico::run`]: the main loop, for ever.
#![no_std]

mod clock_wiring;
mod clocks;
mod converter;
mod flash_id;
mod hall_board;
mod i2c;
mod register;
mod restart;
mod run;
mod start;
mod timer;
mod uart;
mod usb;
mod wires;

pub use clock_wiring::{Clock, Presses};
pub use converter::Converter;
pub use hall_board::{HallBoard, HallTrays};
pub use i2c::Bus;
pub use start::Pico;
pub use wires::{Input, OpenDrain, Output, Pause, Wires};

/// The second stage of the boot: makes the flash chip readable as memory. The Pico's chip is a W25Q16JV.
#[unsafe(link_section = ".boot2")]
#[unsafe(export_name = "BOOT2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;
