//! Who takes the clues: what surveys, and what trains.

use rules::Ply;

use crate::ActionClass;

/// Takes the clues of a position's actions. Actions that share clues come in groups: the moves of one
/// piece, the drops on one square.
pub(crate) trait Sink {
    /// Deep clues that all actions share.
    fn position(&mut self, deep: &[u16]);
    /// Deep and wide clues that the actions to come share until the next group, and the rows by
    /// role of its drops.
    fn group(&mut self, deep: &[u16], wide: &[u16], by_role: &[u16]);
    /// One action with its deep and wide clues.
    fn action(&mut self, ply: Ply, class: ActionClass, deep: &[u16], wide: &[u16]);
}
