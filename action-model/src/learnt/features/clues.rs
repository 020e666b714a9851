//! A short list of clues. It is made anew for every action, so it must not allocate.

use smallvec::SmallVec;

/// Numbers of clues, with room for the longest list: a position has twice the 24 squares around a king, and 11 more.
pub(super) type Clues = SmallVec<[u16; 64]>;
