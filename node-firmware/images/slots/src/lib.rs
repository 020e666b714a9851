//! Two images of a node in its flash: one runs, the other is received. The loader exchanges them before the next start, and exchanges
//! them back unless the new one was kept. `embassy-boot` does this so that a loss of power at any moment harms nothing.
//!
//! The flash from its beginning: the loader, the record of an exchange, the image that runs, the other image and a sector to spare.
#![no_std]

use core::cell::RefCell;
use core::ops::Range;

use embassy_boot::{
    BlockingFirmwareState, BootError, BootLoader, BootLoaderConfig, FirmwareUpdaterError, State,
};
use embassy_embedded_hal::flash::partition::BlockingPartition;
use embassy_sync::blocking_mutex::Mutex;
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embedded_storage::nor_flash::{NorFlash, NorFlashErrorKind, ReadNorFlash};
use node_firmware::{ImageSlot, PAGE_BYTES};
use proto::link::{IMAGE_ADDRESS, UPDATE_IMAGE_BYTES_MAX, UPDATE_SECTOR_BYTES};

/// Address of the flash.
pub const FLASH_ADDRESS: u32 = 0x1000_0000;
/// The loader.
pub const LOADER: Range<u32> = 0..0x8000;
/// The record of an exchange: a page for each step of it and of the way back.
const RECORD: Range<u32> = LOADER.end..LOADER.end + 9 * UPDATE_SECTOR_BYTES;
/// The image that runs.
pub const RUNNING: Range<u32> =
    IMAGE_ADDRESS - FLASH_ADDRESS..IMAGE_ADDRESS - FLASH_ADDRESS + UPDATE_IMAGE_BYTES_MAX;
/// The other image. The exchange needs one sector more.
const OTHER: Range<u32> = RUNNING.end..RUNNING.end + UPDATE_IMAGE_BYTES_MAX + UPDATE_SECTOR_BYTES;
/// End of the flash that is used.
pub const FLASH_END: u32 = OTHER.end;

const _: () = assert!(RECORD.end <= RUNNING.start);

/// A flash chip that the loader's record and the slots share.
pub type SharedFlash<F> = Mutex<NoopRawMutex, RefCell<F>>;
type Part<'a, F> = BlockingPartition<'a, NoopRawMutex, F>;

/// A flash chip to be shared.
pub const fn shared<F>(flash: F) -> SharedFlash<F> {
    Mutex::new(RefCell::new(flash))
}

fn part<F: NorFlash>(flash: &SharedFlash<F>, range: Range<u32>) -> Part<'_, F> {
    // A page is written at once: a record that a loss of power has cut short is not taken for another one.
    const { assert!(F::WRITE_SIZE == PAGE_BYTES && F::ERASE_SIZE == UPDATE_SECTOR_BYTES as usize) };
    BlockingPartition::new(flash, range.start, range.end - range.start)
}

/// The loader's part of a start: finishes what a loss of power interrupted, and exchanges the images if that is due.
///
/// # Errors
/// If the flash fails.
pub fn prepare_start<F: NorFlash>(flash: &SharedFlash<F>) -> Result<(), BootError> {
    let config = BootLoaderConfig {
        active: part(flash, RUNNING),
        dfu: part(flash, OTHER),
        state: part(flash, RECORD),
    };
    BootLoader::new(config).prepare_boot(&mut [0; PAGE_BYTES]).map(|_| ())
}

/// The slot of the other image, for the image that runs.
pub struct OtherSlot<'a, F> {
    flash: &'a SharedFlash<F>,
}

impl<'a, F: NorFlash> OtherSlot<'a, F> {
    /// The slot in this flash.
    pub const fn new(flash: &'a SharedFlash<F>) -> Self {
        Self { flash }
    }

    fn record<R>(
        &mut self,
        act: impl FnOnce(&mut BlockingFirmwareState<'_, Part<'a, F>>) -> Result<R, FirmwareUpdaterError>,
    ) -> Result<R, NorFlashErrorKind> {
        let mut page = [0; PAGE_BYTES];
        let mut state = BlockingFirmwareState::new(part(self.flash, RECORD), &mut page);
        act(&mut state).map_err(|_| NorFlashErrorKind::Other)
    }
}

impl<F: NorFlash> ImageSlot for OtherSlot<'_, F> {
    type Error = NorFlashErrorKind;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        part(self.flash, OTHER).read(offset, bytes).map_err(|_| NorFlashErrorKind::Other)
    }

    fn erase(&mut self, offset: u32) -> Result<(), Self::Error> {
        let erased = part(self.flash, OTHER).erase(offset, offset + UPDATE_SECTOR_BYTES);
        erased.map_err(|_| NorFlashErrorKind::Other)
    }

    fn write(&mut self, offset: u32, page: &[u8; PAGE_BYTES]) -> Result<(), Self::Error> {
        part(self.flash, OTHER).write(offset, page).map_err(|_| NorFlashErrorKind::Other)
    }

    fn is_trial(&mut self) -> Result<bool, Self::Error> {
        self.record(|state| Ok(state.get_state()? == State::Swap))
    }

    fn start_other(&mut self) -> Result<(), Self::Error> {
        self.record(|state| state.mark_updated())
    }

    fn keep(&mut self) -> Result<(), Self::Error> {
        self.record(|state| state.mark_booted())
    }
}
