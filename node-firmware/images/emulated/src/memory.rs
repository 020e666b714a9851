//! Reading and writing words of the machine's address space. This is the only unsafe code of this crate: the compiler cannot know that
//! these addresses are devices, or words that a program outside the machine changes.

/// A word at a fixed address: a device's register, or one of the panel's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word(u32);

impl Word {
    /// The word at this address, which must be divisible by 4 and exist: all addresses are constants of this crate.
    pub(crate) const fn at(address: u32) -> Self {
        assert!(address.is_multiple_of(4));
        Self(address)
    }

    pub(crate) fn read(self) -> u32 {
        // SAFETY: aligned (checked when made), and no variable lies there: the linker script keeps the panel free, and devices
        // are outside of memory.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    pub(crate) fn write(self, value: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }
}
