//! The plies of a segment's ways that are still to be weighed among what else could have been done, by the positions they were made in.

use action_model::{Recent, RoleSet};
use rules::{Color, Ply, Role};
use rustc_hash::FxHashMap;

use crate::state::position_table::PositionId;

/// A ply, who made it, and the role that moved: equal for plies whose reasons are much the same.
pub(crate) type Kind = (Ply, Color, Option<Role>);
/// A position and what arrived last there.
pub(crate) type Place = (PositionId, Recent);

/// A legal ply of a way, chosen among alternatives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    /// Which exchange of the way it is.
    pub(crate) exchange: usize,
    /// The position it was made in.
    pub(crate) place: Place,
    /// Whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    pub(crate) kind: Kind,
}

/// A ply whose alternatives are still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    /// The next one made in the same position: its place in the list of all, or [`NO_MORE`].
    pub(crate) next: u32,
    /// Which of the successors, and which of its exchanges.
    pub(crate) successor: u32,
    pub(crate) exchange: u32,
    pub(crate) kind: Kind,
    /// The position that the way comes from.
    pub(crate) from: PositionId,
}

/// No place in a list.
const NO_MORE: u32 = u32::MAX;

/// The plies made in one position, whatever led to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub(crate) place: Place,
    /// Whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    /// Places of the first and the last ply in the list of all.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The plies of a segment's ways whose alternatives are to be looked at, by the positions they were made in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternatives {
    pub(crate) scenes: Vec<Scene>,
    /// The plies of all scenes, each naming the next of its scene: there are a few in nearly every scene, too few for a list each.
    open: Vec<Open>,
    numbers: FxHashMap<Place, u32>,
}

impl Alternatives {
    /// None yet, with room for so many plies.
    pub(crate) fn with_room(plies: usize) -> Alternatives {
        Alternatives { open: Vec::with_capacity(plies), ..Alternatives::default() }
    }

    /// Notes the plies of the successor of this number, of the ways `from` a position.
    pub(crate) fn note(
        &mut self,
        successor: usize,
        from: PositionId,
        plies: impl IntoIterator<Item = Chosen>,
    ) {
        for Chosen { exchange, place, roles, kind } in plies {
            let (at, next) = (self.open.len() as u32, self.scenes.len() as u32);
            let (successor, exchange) = (successor as u32, exchange as u32);
            self.open.push(Open { next: NO_MORE, successor, exchange, kind, from });
            let number = *self.numbers.entry(place).or_insert_with(|| {
                self.scenes.push(Scene { place, roles: RoleSet::NONE, first: at, last: at });
                next
            });
            let scene = &mut self.scenes[number as usize];
            scene.roles = scene.roles.union(roles);
            if scene.last != at {
                self.open[scene.last as usize].next = at;
                scene.last = at;
            }
        }
    }

    /// The plies of a scene, in the order in which they were noted.
    pub(crate) fn of(&self, scene: &Scene) -> impl Iterator<Item = &Open> {
        let place = |at: u32| self.open.get(at as usize);
        std::iter::successors(place(scene.first), move |open| place(open.next))
    }

    /// Notes a scene with its plies as others have them.
    pub(crate) fn copy(&mut self, scene: &Scene, others: &Alternatives) {
        let first = self.open.len() as u32;
        self.open.extend(others.of(scene));
        let last = self.open.len() as u32 - 1;
        for (at, open) in (first + 1..).zip(&mut self.open[first as usize..]) {
            open.next = if at > last { NO_MORE } else { at };
        }
        self.scenes.push(Scene { first, last, ..*scene });
    }

    /// Takes as little room as it can, to be kept.
    pub(crate) fn pack(&mut self) {
        self.numbers = FxHashMap::default();
        self.scenes.shrink_to_fit();
        self.open.shrink_to_fit();
    }

    /// Memory taken when packed, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.scenes.capacity() * size_of::<Scene>() + self.open.capacity() * size_of::<Open>()
    }
}
