//! A short list of clues, made anew for every action that is weighed: it never allocates.

use std::ops::Deref;

/// Clues there is room for, a power of two. A position has the most: twice the 24 squares around a king, and 11.
const ROOM: usize = 64;

/// Numbers of clues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clues {
    len: usize,
    numbers: [u16; ROOM],
}

impl Clues {
    /// None yet.
    pub(super) const fn new() -> Clues {
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

impl Deref for Clues {
    type Target = [u16];

    #[inline]
    fn deref(&self) -> &[u16] {
        &self.numbers[..self.len.min(ROOM)]
    }
}

impl Extend<u16> for Clues {
    fn extend<T: IntoIterator<Item = u16>>(&mut self, clues: T) {
        clues.into_iter().for_each(|clue| self.push(clue));
    }
}
