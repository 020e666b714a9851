//! The plies of a segment's transitions that are still to be weighed among their alternatives, by position.
//!
//! To weigh the actions of a position is expensive. So plies are gathered by the position they were made in, and each
//! position is weighed once, or not at all (`beam/choice_weights.rs`).

use action_model::{Recent, RoleSet};
use rules::{Color, Ply, Role};
use rustc_hash::FxHashMap;

use crate::state::position_table::PositionId;

/// A ply, who made it, and the role that moved. Plies with equal kinds have much the same reasons.
pub(crate) type PlyKind = (Ply, Color, Option<Role>);
/// A position and the squares of the last arrivals in it.
pub(crate) type ChoicePlace = (PositionId, Recent);

/// A legal ply of a transition, chosen among alternatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnweighedPly {
    /// Index of the ply's reserve change in the transition.
    pub(crate) reserve_change: usize,
    /// The position it was made in.
    pub(crate) place: ChoicePlace,
    /// Whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    pub(crate) kind: PlyKind,
}

/// A ply whose alternatives are still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingPly {
    /// Index of the next ply made in the same position, or [`NO_MORE`].
    pub(crate) next: u32,
    /// Index of the transition, and of the reserve change in it.
    pub(crate) successor: u32,
    pub(crate) reserve_change: u32,
    pub(crate) kind: PlyKind,
    /// The position that the transition comes from.
    pub(crate) from: PositionId,
}

/// The index that ends a list.
const NO_MORE: u32 = u32::MAX;

/// The plies made in one position, whatever transitions lead through it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoicePoint {
    pub(crate) place: ChoicePlace,
    /// Whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    /// Indices of the first and the last ply.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The plies of a segment's transitions whose alternatives are to be looked at, by choice point.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnweighedPlies {
    pub(crate) points: Vec<ChoicePoint>,
    /// The plies of all choice points, as linked lists. Nearly every point has too few plies for a vector of its own.
    open: Vec<PendingPly>,
    numbers: FxHashMap<ChoicePlace, u32>,
}

impl UnweighedPlies {
    /// None yet, with room for so many plies.
    pub(crate) fn with_room(plies: usize) -> UnweighedPlies {
        UnweighedPlies { open: Vec::with_capacity(plies), ..UnweighedPlies::default() }
    }

    /// Notes the plies of the transition of this index, which leads `from` a position.
    pub(crate) fn note(
        &mut self,
        successor: usize,
        from: PositionId,
        plies: impl IntoIterator<Item = UnweighedPly>,
    ) {
        for UnweighedPly { reserve_change, place, roles, kind } in plies {
            let (at, next) = (self.open.len() as u32, self.points.len() as u32);
            let (successor, reserve_change) = (successor as u32, reserve_change as u32);
            self.open.push(PendingPly { next: NO_MORE, successor, reserve_change, kind, from });
            let number = *self.numbers.entry(place).or_insert_with(|| {
                self.points.push(ChoicePoint { place, roles: RoleSet::NONE, first: at, last: at });
                next
            });
            let point = &mut self.points[number as usize];
            point.roles = point.roles.union(roles);
            if point.last != at {
                self.open[point.last as usize].next = at;
                point.last = at;
            }
        }
    }

    /// The plies of a choice point, in the order in which they were noted.
    pub(crate) fn of(&self, point: &ChoicePoint) -> impl Iterator<Item = &PendingPly> {
        let place = |at: u32| self.open.get(at as usize);
        std::iter::successors(place(point.first), move |open| place(open.next))
    }

    /// Copies a choice point with its plies from `others`.
    pub(crate) fn copy(&mut self, point: &ChoicePoint, others: &UnweighedPlies) {
        let first = self.open.len() as u32;
        self.open.extend(others.of(point));
        let last = self.open.len() as u32 - 1;
        for (at, open) in (first + 1..).zip(&mut self.open[first as usize..]) {
            open.next = if at > last { NO_MORE } else { at };
        }
        self.points.push(ChoicePoint { first, last, ..*point });
    }

    /// Takes as little memory as possible, to be kept.
    pub(crate) fn pack(&mut self) {
        self.numbers = FxHashMap::default();
        self.points.shrink_to_fit();
        self.open.shrink_to_fit();
    }

    /// Memory taken when packed, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.points.capacity() * size_of::<ChoicePoint>()
            + self.open.capacity() * size_of::<PendingPly>()
    }
}
