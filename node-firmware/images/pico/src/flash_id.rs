//! The number that the flash chip's maker burnt into it. It identifies a Pico for life.
//!
//! A command of its own reads the number. While the chip answers, it cannot be read as memory: all code that runs then must lie in RAM.
//! So this is the one place with functions in RAM, calls into the boot ROM and bare registers.

use core::mem;

use crate::chip::hal::{pac, rom_data};

/// "Read unique id": one byte, four bytes of nothing, eight bytes of number.
const READ_UNIQUE_ID: u8 = 0x4b;
const COMMAND_BYTES: usize = 13;
const BOOT2_WORDS: usize = 64;
const FLASH: *const u32 = 0x1000_0000 as *const u32;
/// Chip select forced low, forced high.
const SELECT_LOW: u32 = 2 << 8;
const SELECT_HIGH: u32 = 3 << 8;

/// Functions of the boot ROM; their addresses must be found while the flash can still be read.
struct Rom {
    connect_internal_flash: unsafe extern "C" fn(),
    flash_exit_xip: unsafe extern "C" fn(),
    flash_flush_cache: unsafe extern "C" fn(),
}

/// The low half of the chip's number, which differs most from chip to chip. To be called before anything interrupts or uses the
/// other core.
pub(crate) fn read() -> u32 {
    let rom = Rom {
        connect_internal_flash: rom_data::connect_internal_flash::ptr(),
        flash_exit_xip: rom_data::flash_exit_xip::ptr(),
        flash_flush_cache: rom_data::flash_flush_cache::ptr(),
    };
    let mut boot2 = [0; BOOT2_WORDS];
    for (index, word) in boot2.iter_mut().enumerate() {
        // SAFETY: the first 256 bytes of the flash are the second stage of the boot; the compiler knows of no variable there.
        *word = unsafe { FLASH.add(index).read_volatile() };
    }
    let mut bytes = [0; COMMAND_BYTES];
    bytes[0] = READ_UNIQUE_ID;
    // SAFETY: one core runs, and interrupts are disabled by the caller; the function lies in RAM, and `boot2` does.
    unsafe { exchange(&rom, &boot2, &mut bytes) };
    u32::from_be_bytes([bytes[9], bytes[10], bytes[11], bytes[12]])
}

/// Sends `bytes` to the flash chip and replaces them by its answer.
///
/// # Safety
/// Nothing else may run meanwhile, because the flash cannot be read. `boot2` must be the second stage of the boot.
#[inline(never)]
#[unsafe(link_section = ".data.exchange")]
unsafe fn exchange(rom: &Rom, boot2: &[u32; BOOT2_WORDS], bytes: &mut [u8; COMMAND_BYTES]) {
    // SAFETY: these registers belong to devices that no other code uses now; the boot ROM's functions exist for this purpose.
    let (bus, select) = unsafe {
        (rom.connect_internal_flash)();
        (rom.flash_exit_xip)();
        (&*pac::XIP_SSI::ptr(), &*pac::IO_QSPI::ptr())
    };
    // SAFETY: a defined value of the register.
    select.gpio_qspiss().gpio_ctrl().write(|w| unsafe { w.bits(SELECT_LOW) });
    let mut index = 0;
    while index < COMMAND_BYTES {
        // One byte at a time; by pointers, because a slice's checks would panic in flash.
        let byte = unsafe { bytes.as_mut_ptr().add(index) };
        while bus.sr().read().tfnf().bit_is_clear() {}
        // SAFETY: any byte may be sent; `byte` is one of `bytes`.
        bus.dr0().write(|w| unsafe { w.bits(u32::from(*byte)) });
        while bus.sr().read().rfne().bit_is_clear() {}
        unsafe { *byte = bus.dr0().read().bits() as u8 };
        index += 1;
    }
    // SAFETY: a defined value of the register.
    select.gpio_qspiss().gpio_ctrl().write(|w| unsafe { w.bits(SELECT_HIGH) });
    // SAFETY: of the boot ROM; and Thumb code that returns to its caller, if there is one, and makes the flash readable again.
    unsafe {
        (rom.flash_flush_cache)();
        let enter_xip: extern "C" fn() = mem::transmute(boot2.as_ptr().addr() | 1);
        enter_xip();
    }
}
