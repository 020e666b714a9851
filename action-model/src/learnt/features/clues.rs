//! A short list of clues. It is made anew for every action, so it must not allocate.

use std::ops::Deref;

/// Room for the clues of a position or a group, and for the wide clues of a move. Bound: a position has the most,
/// twice the 24 squares around a king, and 11.
pub(crate) const MANY: usize = 64;
/// Room for the deep clues of an action, and for all clues of a drop. Bound: there are at most 14.
pub(crate) const FEW: usize = 16;

/// At most `ROOM` numbers of clues. `ROOM` is a power of two.
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
