//! The positions that hypotheses refer to, by number.

use rules::{Bitboard, Position};

use crate::state::{interned::Interned, takeback::Takeback};

/// The number of a position.
pub(crate) type PositionId = u16;

/// The positions that hypotheses refer to.
pub(crate) type PositionTable = Interned<PositionEntry>;

/// Above so many positions, the ones that no live hypothesis uses are forgotten before the next step. Few
/// matches have so many. They also lose their caches, so their ends cost more time. Bound: on memory.
pub(crate) const MANY_POSITIONS: usize = 36_864;
/// Maximum number of positions: about 5 MB with the index. A step that needs more drops its later hypotheses. Bound:
/// on memory, and numbers have 16 bits.
const MAX_POSITIONS: usize = 45_056;

/// A table without positions.
pub(crate) fn no_positions() -> PositionTable {
    Interned::new(MAX_POSITIONS)
}

/// A position, and the plies that may be taken back in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PositionEntry {
    pub(crate) position: Position,
    pub(crate) takeback: Takeback,
}

impl PositionEntry {
    /// A position in which no ply may be taken back.
    pub(crate) fn of(position: Position) -> PositionEntry {
        PositionEntry { position, takeback: Takeback::Nothing }
    }

    /// The squares of White's pieces, of Black's pieces, and of the kings.
    pub(crate) fn layout(&self) -> [Bitboard; 3] {
        let board = self.position.board();
        [board.white(), board.black(), board.kings()]
    }
}

#[cfg(test)]
mod tests {
    use rules::IllegalReason;

    use super::*;

    #[test]
    fn equal_positions_in_which_the_same_may_be_taken_back_have_one_number() {
        let mut positions = no_positions();
        let initial = PositionEntry::of(Position::initial());
        let first = positions.intern(initial.clone());
        assert_eq!(positions.intern(initial.clone()), first);
        let slip = "e2d3".parse().expect("a ply");
        let takeback = Takeback::Nothing.after(slip, Some(IllegalReason::WrongGeometry));
        assert_ne!(positions.intern(PositionEntry { takeback, ..initial }), first);
        let swapped = PositionEntry::of(Position::initial_swapped(true, false));
        assert_ne!(positions.intern(swapped), first);
        assert_eq!(positions.len(), 3);
    }
}
