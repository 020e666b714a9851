//! Positions by number: a joint hypothesis names each of its two boards in two bytes.
//!
//! Hundreds of joint hypotheses share a few dozen positions of each board. So a position is stored once, and
//! everything that depends on the position alone is computed once.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rules::{Bitboard, Position, Supply};
use rustc_hash::FxBuildHasher;

use crate::{observation::footprint::PredictedSquares, state::takeback::Takeback};

/// The number of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct PositionId(pub(crate) u16);

/// Room at first, and more room each time it is used up, positions: about 500 kB. Bound: on memory.
const USUAL_POSITIONS: usize = 4_096;
/// Above so many positions, the ones that no live hypothesis uses are forgotten before the next step. Few
/// matches have so many. They also lose their caches, so their ends cost more time. Bound: on memory.
pub(crate) const MANY_POSITIONS: usize = 36_864;
/// Most positions: about 5.8 MB with the indexes. A step that needs more drops its later hypotheses. Bound:
/// on memory, and numbers have 16 bits.
const MAX_POSITIONS: usize = 45_056;

/// A position and the expected readings of its squares.
#[derive(Clone, Debug)]
pub(crate) struct PositionEntry {
    pub(crate) position: Position,
    /// The plies that may be taken back in it.
    pub(crate) takeback: Takeback,
    pub(crate) expected: PredictedSquares,
    /// The number of the layout. Positions have the same one if White's, Black's and the kings' squares agree.
    pub(crate) layout: u16,
}

/// The squares of White's pieces, of Black's pieces, and of the kings.
type Layout = [Bitboard; 3];

fn layout_of(position: &Position) -> Layout {
    let board = position.board();
    [board.white(), board.black(), board.kings()]
}

/// The positions that hypotheses refer to.
#[derive(Clone, Debug)]
pub(crate) struct PositionTable {
    known: Vec<PositionEntry>,
    /// The numbers, found by position.
    ids: HashTable<PositionId>,
    /// One position of each layout, found by layout.
    layouts: HashTable<PositionId>,
    /// Where the players' droppable pieces come from.
    supply: Supply,
}

impl PositionTable {
    /// An empty table for a game with this supply.
    pub(crate) fn new(supply: Supply) -> PositionTable {
        PositionTable {
            known: Vec::with_capacity(USUAL_POSITIONS),
            ids: HashTable::with_capacity(USUAL_POSITIONS),
            layouts: HashTable::new(),
            supply,
        }
    }

    /// Where the players' droppable pieces come from.
    pub(crate) const fn supply(&self) -> Supply {
        self.supply
    }

    /// The number of `position` with these plies to take back; a new number if it has none. None if no number
    /// is left: then the caller drops the hypothesis. [`compact`](Self::compact) makes room before that.
    pub(crate) fn intern(&mut self, position: Position, takeback: Takeback) -> Option<PositionId> {
        let hash = FxBuildHasher.hash_one((&position, takeback));
        let known = |id: PositionId| {
            let known = &self.known[usize::from(id.0)];
            (&known.position, known.takeback)
        };
        if let Some(&id) = self.ids.find(hash, |&id| known(id) == (&position, takeback)) {
            return Some(id);
        }
        if self.known.len() >= MAX_POSITIONS {
            return None;
        }
        let id = PositionId(self.known.len() as u16);
        self.ids.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(known(id)));
        let layout = self.layout_number(id, layout_of(&position));
        if self.known.len() == self.known.capacity() {
            // A list doubles its room by itself, and that would be most of the memory of a match.
            self.known.reserve_exact(USUAL_POSITIONS);
        }
        self.known.push(PositionEntry {
            expected: PredictedSquares::of(&position),
            position,
            takeback,
            layout,
        });
        Some(id)
    }

    /// The number of a layout. It is a new number if the position that gets the number `of` is the first one
    /// with this layout.
    fn layout_number(&mut self, of: PositionId, layout: Layout) -> u16 {
        let PositionTable { known, layouts, .. } = self;
        let hash = FxBuildHasher.hash_one(layout);
        let known = |id: PositionId| &known[usize::from(id.0)];
        if let Some(&id) = layouts.find(hash, |&id| layout_of(&known(id).position) == layout) {
            return known(id).layout;
        }
        let next = layouts.len() as u16;
        layouts
            .insert_unique(hash, of, |&id| FxBuildHasher.hash_one(layout_of(&known(id).position)));
        next
    }

    /// The entry with this number.
    pub(crate) fn get(&self, id: PositionId) -> &PositionEntry {
        &self.known[usize::from(id.0)]
    }
    /// Number of positions.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * size_of::<PositionEntry>()
            + self.ids.capacity() * (size_of::<PositionId>() + 1)
            + self.layouts.capacity() * (size_of::<PositionId>() + 1)
    }

    /// Keeps only the positions that `used` names, and renumbers them in the order of `used`.
    pub(crate) fn compact<'a>(&mut self, used: impl Iterator<Item = &'a mut PositionId>) {
        let mut kept = PositionTable::new(self.supply);
        let mut renumbered: Vec<Option<PositionId>> = vec![None; self.known.len()];
        for id in used {
            let slot = &mut renumbered[usize::from(id.0)];
            if slot.is_none() {
                let known = &self.known[usize::from(id.0)];
                *slot = kept.intern(known.position.clone(), known.takeback);
            }
            // There is always room: no more positions are kept than had numbers before.
            *id = slot.unwrap_or(*id);
        }
        *self = kept;
    }
}

#[cfg(test)]
mod tests {
    use rules::IllegalReason;

    use super::*;

    #[test]
    fn equal_positions_in_which_the_same_may_be_taken_back_have_one_number() {
        let mut positions = PositionTable::new(Supply::Partner);
        let first = positions.intern(Position::initial(), Takeback::Nothing);
        assert_eq!(positions.intern(Position::initial(), Takeback::Nothing), first);
        let slip = "e2d3".parse().expect("a ply");
        let slipped = Takeback::Nothing.after(slip, Some(IllegalReason::WrongGeometry));
        assert_ne!(positions.intern(Position::initial(), slipped), first);
        let swapped = Position::initial_swapped(true, false);
        assert_ne!(positions.intern(swapped, Takeback::Nothing), first);
        assert_eq!(positions.len(), 3);
    }

    #[test]
    fn forgetting_keeps_what_is_used_under_new_numbers() {
        let mut positions = PositionTable::new(Supply::Partner);
        positions.intern(Position::initial(), Takeback::Nothing);
        let mut used = positions
            .intern(Position::initial_swapped(true, false), Takeback::Nothing)
            .expect("room");
        let mut again = used;
        positions.compact([&mut used, &mut again].into_iter());
        assert_eq!((used, again), (PositionId(0), PositionId(0)));
        assert_eq!(positions.get(used).position, Position::initial_swapped(true, false));
        assert_eq!(positions.len(), 1);
    }
}
