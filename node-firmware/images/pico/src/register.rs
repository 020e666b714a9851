//! Reading and writing the RP2040's registers by address. The only unsafe code of this crate besides what asks the flash chip for
//! its number: the compiler cannot know that these addresses are devices.
//!
//! Few devices of the chip are used, each with few of its registers; written down directly they take a tenth of the flash of what a
//! library for all of the chip takes, and 32 KB are not much.

/// A register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register(u32);

/// Offset of the alias that sets the bits written, and of the one that clears them; all devices but SIO have them.
const SET: u32 = 0x2000;
const CLEAR: u32 = 0x3000;

impl Register {
    /// The register at this address of the chip's datasheet.
    pub(crate) const fn at(address: u32) -> Self {
        assert!(address.is_multiple_of(4) && address >= 0x4000_0000);
        Self(address)
    }

    /// The `index`-th of registers that stand `stride` bytes apart.
    pub(crate) const fn nth(self, stride: u32, index: u8) -> Self {
        Self::at(self.0 + stride * index as u32)
    }

    pub(crate) fn read(self) -> u32 {
        // SAFETY: aligned, a device and not memory (checked when made), one of this crate's constants.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    pub(crate) fn write(self, value: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    /// Sets these bits and leaves the others.
    pub(crate) fn set(self, bits: u32) {
        Self(self.0 + SET).write(bits);
    }

    /// Clears these bits and leaves the others.
    pub(crate) fn clear(self, bits: u32) {
        Self(self.0 + CLEAR).write(bits);
    }

    /// Waits until one of these bits is set.
    pub(crate) fn wait_for(self, bits: u32) {
        while self.read() & bits == 0 {}
    }
}
