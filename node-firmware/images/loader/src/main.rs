//! The Pico's loader: exchanges the two images if that is due, finishes what a loss of power interrupted, and starts the image.
//!
//! It is written with the first image and never changed over the line, so it does nothing else.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use node_slots::{prepare_start, shared};
use pico_flash::Flash;
use proto::link::IMAGE_ADDRESS;
#[cfg(target_abi = "eabihf")]
use rp235x_hal as hal;
#[cfg(not(target_abi = "eabihf"))]
use rp2040_hal as hal;

use hal::pac;

/// The second stage of the boot: makes the flash chip readable as memory. The Pico's chip is a W25Q16JV.
#[cfg(not(target_abi = "eabihf"))]
#[unsafe(link_section = ".boot2")]
#[unsafe(export_name = "BOOT2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// Image definition that the Pico 2's boot ROM searches for.
#[cfg(target_abi = "eabihf")]
#[unsafe(link_section = ".start_block")]
#[used]
static IMAGE_DEFINITION: hal::block::ImageDef = hal::block::ImageDef::secure_exe();

#[hal::entry]
fn main() -> ! {
    cortex_m::interrupt::disable();
    // A restart that the watchdog did not cause leaves it running; an exchange takes longer than it waits.
    // SAFETY: nothing else runs.
    unsafe { (*pac::WATCHDOG::PTR).ctrl().modify(|_, w| w.enable().clear_bit()) };
    // SAFETY: nothing else runs, on either core.
    let flash = shared(unsafe { Flash::new() });
    if prepare_start(&flash).is_err() {
        // Ranges are constants: the flash is asked for nothing that it refuses.
        hal::reset();
    }
    // SAFETY: vectors of an image, which the loader's UF2 file brings along.
    unsafe {
        (*cortex_m::peripheral::SCB::PTR).vtor.write(IMAGE_ADDRESS);
        cortex_m::asm::bootload(IMAGE_ADDRESS as *const u32)
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    hal::reset()
}
