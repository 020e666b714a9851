//! The receiver of clues: the tracker weighs actions with them, and training learns from them.

use rules::Ply;
use smallvec::SmallVec;

use crate::ActionClass;

/// Numbers of clues, with room for the longest list: a position has twice the 24 squares around a king, and 11 more. It is made
/// for every action, so it must not allocate.
pub(super) type Clues = SmallVec<[u16; 64]>;

/// Takes the clues of a position's actions. Actions that share clues come in groups: the moves of one piece, or the
/// drops on one square.
pub(crate) trait Sink {
    /// Deep clues that all actions share.
    fn position(&mut self, deep: &[u16]);
    /// A new group: the deep and wide clues that its actions share, and the rows by role of its drops.
    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]);
    /// One action with its deep and wide clues.
    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]);
}
