//! Differences between the Pico's chip (RP2040) and the Pico 2's (RP2350): the library, a few names, the way to the chip's number.

use fugit::HertzU32;

#[cfg(pico2)]
pub use rp235x_hal as hal;
#[cfg(not(pico2))]
pub use rp2040_hal as hal;

use hal::pac;

#[cfg(not(pico2))]
pub(crate) use pac::{
    Interrupt::TIMER_IRQ_0 as TIMER_IRQ, TIMER, USBCTRL_DPRAM as USB_MEMORY, USBCTRL_REGS as USB,
};
#[cfg(pico2)]
pub(crate) use pac::{
    Interrupt::TIMER0_IRQ_0 as TIMER_IRQ, TIMER0 as TIMER, USB, USB_DPRAM as USB_MEMORY,
};

#[cfg(not(pico2))]
pub(crate) type Timer = hal::Timer;
#[cfg(pico2)]
pub(crate) type Timer = hal::Timer<hal::timer::CopyableTimer0>;

#[cfg(not(pico2))]
pub(crate) type Alarm = hal::timer::Alarm0;
#[cfg(pico2)]
pub(crate) type Alarm = hal::timer::Alarm0<hal::timer::CopyableTimer0>;

/// Frequency of the crystal.
pub(crate) const CRYSTAL_HZ: u32 = 12_000_000;
/// Frequency of the processor.
pub(crate) const SYSTEM_HZ: u32 = if cfg!(pico2) { 150_000_000 } else { 125_000_000 };
/// The same, as the library takes it.
pub(crate) const SYSTEM: HertzU32 = HertzU32::from_raw(SYSTEM_HZ);
/// Cycles that `asm::delay` takes at least for each that it is asked for.
pub(crate) const CYCLES_PER_TURN: u32 = if cfg!(pico2) { 1 } else { 3 };

/// Starts the timer.
#[cfg(not(pico2))]
pub(crate) fn timer(
    timer: TIMER,
    resets: &mut pac::RESETS,
    clocks: &hal::clocks::ClocksManager,
) -> Timer {
    Timer::new(timer, resets, clocks)
}

/// Starts the timer.
#[cfg(pico2)]
pub(crate) fn timer(
    timer: TIMER,
    resets: &mut pac::RESETS,
    clocks: &hal::clocks::ClocksManager,
) -> Timer {
    Timer::new_timer0(timer, resets, clocks)
}

#[cfg(not(pico2))]
pub(crate) use crate::flash_id::read as number;

/// The chip's own number, as the boot ROM knows it.
#[cfg(pico2)]
pub(crate) fn number() -> u32 {
    let info = hal::rom_data::sys_info_api::chip_info();
    // A chip without a number has been tampered with; it is a node nevertheless.
    info.ok().flatten().map_or(0, |info| info.device_id ^ info.wafer_id.rotate_left(16))
}
