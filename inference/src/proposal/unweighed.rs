//! The plies of a segment's transitions that are still to be weighed among their alternatives, by position.
//!
//! To weigh the actions of a position is expensive. So plies are gathered by the position they were made in, and each
//! position is weighed once, or not at all (`beam/choice_weights.rs`).

use action_model::{Recent, RoleSet};
use rules::{Color, Ply, Role};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::state::position_table::PositionId;

/// A ply, who made it, and the role that moved. Plies with equal kinds have much the same reasons.
pub(crate) type PlyKind = (Ply, Color, Option<Role>);
/// A position and the squares of the last arrivals in it.
pub(crate) type ChoicePlace = (PositionId, Recent);

/// A legal ply whose alternatives are still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnweighedPly {
    /// Index of the transition, and of the reserve change in it.
    pub(crate) transition: u32,
    pub(crate) reserve_change: u32,
    /// The position that the transition comes from.
    pub(crate) from: PositionId,
    pub(crate) kind: PlyKind,
}

/// The plies made in one position, whatever transitions lead through it.
#[derive(Clone, Debug)]
pub(crate) struct ChoicePoint {
    pub(crate) place: ChoicePlace,
    /// Whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    pub(crate) plies: SmallVec<[UnweighedPly; 1]>,
}

/// The plies of a segment's transitions whose alternatives are to be looked at, by choice point.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnweighedPlies {
    pub(crate) points: Vec<ChoicePoint>,
    numbers: FxHashMap<ChoicePlace, usize>,
}

impl UnweighedPlies {
    /// Notes a ply made in `place`, with drops of these roles among the alternatives.
    pub(crate) fn note(&mut self, (place, roles, ply): (ChoicePlace, RoleSet, UnweighedPly)) {
        let UnweighedPlies { points, numbers } = self;
        let number = *numbers.entry(place).or_insert(points.len());
        match points.get_mut(number) {
            Some(point) => {
                point.roles = point.roles.union(roles);
                point.plies.push(ply);
            }
            None => points.push(ChoicePoint { place, roles, plies: smallvec![ply] }),
        }
    }
}
