//! The Pico's flash chip, erased and written by the boot ROM's functions, for the loader and for a node that receives an image.
//!
//! While the chip works it cannot be read as memory: the code that runs then lies in RAM.
#![no_std]

use core::mem;

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use node_firmware::PAGE_BYTES;
use node_slots::{FLASH_ADDRESS, FLASH_END};
use proto::link::UPDATE_SECTOR_BYTES;
#[cfg(target_abi = "eabihf")]
use rp235x_hal as hal;
#[cfg(not(target_abi = "eabihf"))]
use rp2040_hal as hal;

use hal::{pac, rom_data};

const SETUP_WORDS: usize = 64;
/// Code that makes the flash readable as memory: the second stage of the boot.
#[cfg(not(target_abi = "eabihf"))]
const SETUP: *const u32 = 0x1000_0000 as *const u32;
/// Code that makes the flash readable as memory, where the boot ROM has left it.
#[cfg(target_abi = "eabihf")]
const SETUP: *const u32 = 0x400e_0000 as *const u32;
/// Command that erases a block, and the block's size: larger than a sector, so it is not used.
const BLOCK: (usize, u8) = (1 << 16, 0xd8);
/// Longest time that the watchdog can be given, in its own units: a sector takes 0.4 s at most.
const WATCHDOG_MAX: u32 = 0xff_ffff;

/// Functions of the boot ROM; their addresses must be found while the flash can still be read.
struct Rom {
    connect_internal_flash: unsafe extern "C" fn(),
    flash_exit_xip: unsafe extern "C" fn(),
    flash_range_erase: unsafe extern "C" fn(u32, usize, u32, u8),
    flash_range_program: unsafe extern "C" fn(u32, *const u8, usize),
    flash_flush_cache: unsafe extern "C" fn(),
}

/// The part of the flash chip that holds the loader and the images.
#[derive(Debug)]
pub struct Flash(());

impl Flash {
    /// The chip.
    ///
    /// # Safety
    /// Nothing else may use the flash's controller, interrupts must be disabled, and one core may run.
    pub const unsafe fn new() -> Self {
        Self(())
    }

    /// Erases the sector at `offset`, or writes a page there. A watchdog that runs is given its longest time.
    fn work(&mut self, offset: u32, page: Option<&[u8; PAGE_BYTES]>) {
        let rom = Rom {
            connect_internal_flash: rom_data::connect_internal_flash::ptr(),
            flash_exit_xip: rom_data::flash_exit_xip::ptr(),
            flash_range_erase: rom_data::flash_range_erase::ptr(),
            flash_range_program: rom_data::flash_range_program::ptr(),
            flash_flush_cache: rom_data::flash_flush_cache::ptr(),
        };
        let mut setup = [0; SETUP_WORDS];
        for (index, word) in setup.iter_mut().enumerate() {
            // SAFETY: these words are code that nobody changes; the compiler knows of no variable there.
            *word = unsafe { SETUP.add(index).read_volatile() };
        }
        // SAFETY: any value may be written to this register.
        unsafe { (*pac::WATCHDOG::PTR).load().write(|w| w.bits(WATCHDOG_MAX)) };
        let page = page.map_or(core::ptr::null(), |page| page.as_ptr());
        // SAFETY: `new` promises that nothing else runs; the function, `setup` and the page lie in RAM.
        unsafe { in_ram(&rom, &setup, offset, page) };
    }
}

/// Erases the sector at `offset`, or writes the page there if it is not null.
///
/// # Safety
/// Nothing else may run meanwhile, because the flash cannot be read. `setup` must be the code that makes it readable again.
#[inline(never)]
#[unsafe(link_section = ".data.flash")]
unsafe fn in_ram(rom: &Rom, setup: &[u32; SETUP_WORDS], offset: u32, page: *const u8) {
    // SAFETY: the boot ROM's functions exist for this purpose, in this order; `setup` is Thumb code that returns to its caller.
    unsafe {
        (rom.connect_internal_flash)();
        (rom.flash_exit_xip)();
        if page.is_null() {
            (rom.flash_range_erase)(offset, UPDATE_SECTOR_BYTES as usize, BLOCK.0 as u32, BLOCK.1);
        } else {
            (rom.flash_range_program)(offset, page, PAGE_BYTES);
        }
        (rom.flash_flush_cache)();
        let make_readable: extern "C" fn() = mem::transmute(setup.as_ptr().addr() | 1);
        make_readable();
    }
}

impl ErrorType for Flash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Flash {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        check_read(self, offset, bytes.len())?;
        let start = (FLASH_ADDRESS + offset) as *const u8;
        // SAFETY: the flash is readable there, as was checked, and no variable lies in the slots.
        unsafe { start.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn capacity(&self) -> usize {
        FLASH_END as usize
    }
}

impl NorFlash for Flash {
    const WRITE_SIZE: usize = PAGE_BYTES;
    const ERASE_SIZE: usize = UPDATE_SECTOR_BYTES as usize;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to)?;
        for offset in (from..to).step_by(Self::ERASE_SIZE) {
            self.work(offset, None);
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len())?;
        for (offset, piece) in (offset..).step_by(PAGE_BYTES).zip(bytes.chunks_exact(PAGE_BYTES)) {
            // In RAM, wherever the caller has it.
            let mut page = [0; PAGE_BYTES];
            page.copy_from_slice(piece);
            self.work(offset, Some(&page));
        }
        Ok(())
    }
}
