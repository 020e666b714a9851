//! The few words of memory that survive a reset. This is the only unsafe code of this crate: the compiler cannot know that nothing else
//! touches these words. After power-up they may contain anything.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

/// Marks words that this firmware has written: after power-up they hold anything.
const MAGIC: u32 = 0x7b6f_a4d1;
/// Words that are kept.
pub(crate) const WORDS: usize = 6;

struct Kept(UnsafeCell<MaybeUninit<[u32; WORDS + 2]>>);

// SAFETY: the nodes run on one core and without interrupt handlers of their own. Only the fault and the panic handler interrupt the
// main program, and they do not return.
unsafe impl Sync for Kept {}

// The start-up code leaves it alone.
#[cfg_attr(target_arch = "arm", unsafe(link_section = ".uninit.kept"))]
#[cfg_attr(target_arch = "riscv32", unsafe(link_section = ".rtc_fast.persistent.kept"))]
static KEPT: Kept = Kept(UnsafeCell::new(MaybeUninit::uninit()));

/// The words as they were written before the last reset; `None` after power-up.
pub(crate) fn read() -> Option<[u32; WORDS]> {
    // SAFETY: every pattern of bits is a word; volatile, because the compiler does not know who wrote them.
    let words = unsafe { KEPT.0.get().cast::<[u32; WORDS + 2]>().read_volatile() };
    let [magic, check, kept @ ..] = words;
    (magic == MAGIC && check == checksum(kept)).then_some(kept)
}

/// Keeps the words over the next resets.
pub(crate) fn write(kept: [u32; WORDS]) {
    let mut words = [0; WORDS + 2];
    words[0] = MAGIC;
    words[1] = checksum(kept);
    words[2..].copy_from_slice(&kept);
    // SAFETY: nothing holds a reference to these words.
    unsafe { KEPT.0.get().cast::<[u32; WORDS + 2]>().write_volatile(words) };
}

fn checksum(words: [u32; WORDS]) -> u32 {
    words.iter().fold(MAGIC, |sum, word| sum.rotate_left(5) ^ word)
}
