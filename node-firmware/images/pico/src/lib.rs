//! The Raspberry Pi Pico as a node: what all images for it do alike. Each image adds its wiring: see `src/bin`.
//!
//! * [`Pico::start`]: clocks, pins, the node's name, the serial line that the strap chooses, the watchdog.
//! * [`Pico::run`]: the main loop, for ever.
#![no_std]

mod clocks;
mod converter;
mod flash_id;
mod register;
mod restart;
mod run;
mod start;
mod timer;
mod uart;
mod usb;
mod wires;

pub use converter::Converter;
pub use start::Pico;
pub use wires::{Input, Output, Pause, Wires};

/// The second stage of the boot: makes the flash chip readable as memory. The Pico's chip is a W25Q16JV.
#[unsafe(link_section = ".boot2")]
#[unsafe(export_name = "BOOT2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;
