//! Positions by number: a joint hypothesis names its two boards in two bytes each.
//!
//! Hundreds of joint hypotheses share a few dozen positions of each board, so a position is stored
//! once and everything that depends on it alone is computed once.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rules::{Bitboard, Position, Supply};
use rustc_hash::FxBuildHasher;

use crate::{observation::footprint::PredictedSquares, state::takeback::Takeback};

/// The number of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct PositionId(pub(crate) u16);

/// Positions there is room for at first, and for so many more whenever it is used up: about 500 kB.
const USUAL_POSITIONS: usize = 4_096;
/// Positions after which those that no live hypothesis uses are forgotten before the next step.
/// Few matches have so many, and those that have lose what was found in them so far: their ends cost more.
pub(crate) const MANY_POSITIONS: usize = 36_864;
/// Positions there is room for: about 5.8 MB with the indexes. A step that needs more drops its later hypotheses.
const MAX_POSITIONS: usize = 45_056;

/// A position and what its squares are expected to read.
#[derive(Clone, Debug)]
pub(crate) struct PositionEntry {
    pub(crate) position: Position,
    /// What may be taken back in it.
    pub(crate) takeback: Takeback,
    pub(crate) expected: PredictedSquares,
    /// Equal for positions whose pieces of either colour and kings stand alike.
    pub(crate) layout: u16,
}

/// Where pieces of either colour stand, and the kings.
type Layout = [Bitboard; 3];

fn layout_of(position: &Position) -> Layout {
    let board = position.board();
    [board.white(), board.black(), board.kings()]
}

/// The positions that hypotheses refer to.
#[derive(Clone, Debug)]
pub(crate) struct PositionTable {
    known: Vec<PositionEntry>,
    /// Numbers, found by their positions.
    ids: HashTable<PositionId>,
    /// One position of each layout, found by its layout.
    layouts: HashTable<PositionId>,
    /// How often the numbers have changed.
    renumbered: u32,
    /// Where the players' droppable pieces come from.
    supply: Supply,
}

impl PositionTable {
    /// None yet, of a game with this supply.
    pub(crate) fn new(supply: Supply) -> PositionTable {
        PositionTable {
            known: Vec::with_capacity(USUAL_POSITIONS),
            ids: HashTable::with_capacity(USUAL_POSITIONS),
            layouts: HashTable::new(),
            renumbered: 0,
            supply,
        }
    }

    /// Where the players' droppable pieces come from.
    pub(crate) const fn supply(&self) -> Supply {
        self.supply
    }

    /// The number of `position` with this to be taken back in it, new if it has none. None when there is no number left: the caller
    /// drops the hypothesis, having been given the room to [`forget`](Self::forget) the unused ones.
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
            // Twice the room, as a list takes by itself, would be most of a match's memory.
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

    /// The number of a layout, a new one if no position has it yet but the one that is about to get this number.
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

    /// The position with this number.
    pub(crate) fn get(&self, id: PositionId) -> &PositionEntry {
        &self.known[usize::from(id.0)]
    }

    /// How often the numbers have changed.
    pub(crate) fn renumbered(&self) -> u32 {
        self.renumbered
    }

    /// How many positions are known.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * size_of::<PositionEntry>()
            + self.ids.capacity() * (size_of::<PositionId>() + 1)
            + self.layouts.capacity() * (size_of::<PositionId>() + 1)
    }

    /// Keeps only the positions that `used` names and renumbers those in the order of `used`.
    pub(crate) fn compact<'a>(&mut self, used: impl Iterator<Item = &'a mut PositionId>) {
        let mut kept = PositionTable::new(self.supply);
        let mut renumbered: Vec<Option<PositionId>> = vec![None; self.known.len()];
        for id in used {
            let slot = &mut renumbered[usize::from(id.0)];
            if slot.is_none() {
                let known = &self.known[usize::from(id.0)];
                *slot = kept.intern(known.position.clone(), known.takeback);
            }
            // At most as many positions are kept as had numbers before.
            *id = slot.unwrap_or(*id);
        }
        kept.renumbered = self.renumbered + 1;
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
