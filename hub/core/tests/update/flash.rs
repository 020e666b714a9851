//! A NOR flash chip in memory, which loses its power at a given moment and leaves the page or sector of that moment half done.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashError, NorFlashErrorKind, ReadNorFlash,
};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

pub(crate) const PAGE: usize = 256;
pub(crate) const SECTOR: usize = 4_096;
/// Time that a chip takes, in µs, by its manual: typical values.
const WRITE_US: u64 = 700;
const ERASE_US: u64 = 45_000;
/// Share of an erasure's duration to a page's, for choosing the moment of a cut.
const ERASE_STEPS: u64 = 16;

/// The chip has no power.
#[derive(Debug)]
pub(crate) struct Dark;

impl NorFlashError for Dark {
    fn kind(&self) -> NorFlashErrorKind {
        NorFlashErrorKind::Other
    }
}

pub(crate) struct Chip {
    pub(crate) bytes: Vec<u8>,
    /// Steps of work until the power fails.
    steps_left: Option<u64>,
    pub(crate) is_dark: bool,
    pub(crate) busy_us: u64,
    /// Bits that a page loses when it is written for the first time: a worn chip.
    pub(crate) flips_left: u32,
    random: ChaCha8Rng,
}

impl Chip {
    pub(crate) fn new(bytes: u32, random: ChaCha8Rng) -> Chip {
        let bytes = vec![0xff; bytes as usize];
        Chip { bytes, steps_left: None, is_dark: false, busy_us: 0, flips_left: 0, random }
    }

    /// Gives the chip power, for so many steps of work.
    pub(crate) fn power(&mut self, steps: Option<u64>) {
        self.is_dark = false;
        self.steps_left = steps;
    }

    /// Does work of so many steps on `range`; a part of it if the power fails meanwhile.
    fn work(
        &mut self,
        steps: u64,
        range: std::ops::Range<usize>,
        becomes: impl Fn(usize, u8) -> u8,
    ) -> Result<(), Dark> {
        if self.is_dark {
            return Err(Dark);
        }
        let cut = self.steps_left.is_some_and(|left| left < steps);
        self.steps_left = self.steps_left.map(|left| left.saturating_sub(steps));
        self.is_dark = cut;
        for at in range {
            let (old, new) = (self.bytes[at], becomes(at, self.bytes[at]));
            // Of the bits that change, some have changed.
            let changed = if cut { self.random.random::<u8>() } else { 0xff };
            self.bytes[at] = old ^ ((old ^ new) & changed);
        }
        if cut { Err(Dark) } else { Ok(()) }
    }
}

impl ErrorType for Chip {
    type Error = Dark;
}

impl ReadNorFlash for Chip {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Dark> {
        if self.is_dark {
            return Err(Dark);
        }
        let start = offset as usize;
        bytes.copy_from_slice(&self.bytes[start..start + bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl NorFlash for Chip {
    const WRITE_SIZE: usize = PAGE;
    const ERASE_SIZE: usize = SECTOR;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Dark> {
        for sector in (from as usize..to as usize).step_by(SECTOR) {
            self.busy_us += ERASE_US;
            self.work(ERASE_STEPS, sector..sector + SECTOR, |_, _| 0xff)?;
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Dark> {
        for (number, page) in bytes.chunks(PAGE).enumerate() {
            let start = offset as usize + number * PAGE;
            self.busy_us += WRITE_US;
            let flip = if self.flips_left > 0 { 0xef } else { 0xff };
            self.flips_left = self.flips_left.saturating_sub(1);
            // Bits only go from one to zero.
            self.work(1, start..start + page.len(), |at, old| old & page[at - start] & flip)?;
        }
        Ok(())
    }
}
