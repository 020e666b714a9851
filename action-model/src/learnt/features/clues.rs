//! A short list of clues, made anew for every action that is weighed: it never allocates.

use std::ops::Deref;

/// Room for the clues of a position or a group, and for those of a move beyond its deep ones. A position has the most:
/// twice the 24 squares around a king, and 11.
pub(crate) const MANY: usize = 64;
/// Room for the deep clues of an action, and for all of a drop: at most 14.
pub(crate) const FEW: usize = 16;

/// Numbers of clues, `ROOM` of them at most, a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clues<const ROOM: usize> {
    len: usize,
    numbers: [u16; ROOM],
}

impl<const ROOM: usize> Clues<ROOM> {
    /// None yet.
    pub(super) const fn new() -> Clues<ROOM> {
        Clues { len: 0, numbers: [0; ROOM] }
    }

    /// Adds a clue.
    #[inline]
    pub(super) fn push(&mut self, clue: u16) {
        debug_assert!(self.len < ROOM, "more clues than there is room for");
        self.numbers[self.len % ROOM] = clue;
        self.len += 1;
    }
}

impl<const ROOM: usize> Deref for Clues<ROOM> {
    type Target = [u16];

    #[inline]
    fn deref(&self) -> &[u16] {
        &self.numbers[..self.len.min(ROOM)]
    }
}
