//! ```text
//! weight of an edge = weight(transition) * PROD over its plies of preference(ply) * p(reserves) * p(trays)
//! ```
//!
//! All transitions that explain a segment, from each position that hypotheses have: what each of
//! them has for the weight of an edge (`beam/combine.rs`).
//!
//! They depend on one board's position and readings alone. So they are found once for all joint
//! hypotheses that share the position. Sums of actions differ from hypothesis to hypothesis
//! (`beam/choice_probability.rs`).
//!
//! To weigh the actions of a position is expensive. So plies are gathered by the position they were
//! made in, and each position is weighed once, or not at all (`beam/choice_weights.rs`).

use std::ops::Range;

use action_model::{
    ActionClass, ActionTotals, ActionWeights, DropsThere, Recent, RoleSet, WeightedAction,
};
use rules::{Color, Ply, Reserve, Role};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{explanation::Explanation, params, state::position_table::PositionId};

/// A ply that was made, as the action weights of the position before it have it. Its weight becomes
/// a probability only beside the sum over all actions, which differs from hypothesis to hypothesis
/// (`beam/choice_probability.rs`). So weight and sums are kept apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChosenAction {
    /// The weight that the action model gives it as [evidence](params::choice_speaks), above 0.
    pub(crate) weight: f64,
    pub(crate) class: ActionClass,
    /// Index of the position's totals.
    pub(crate) totals: u32,
    /// Slot of a drop's role, and the weights of all roles on its square.
    pub(crate) drop: Option<(u8, DropsThere)>,
}

impl ChosenAction {
    /// A legal ply of a position with these action weights and totals; none if it is not legal there.
    pub(crate) fn of(ply: Ply, weights: &ActionWeights, totals: u32) -> Option<ChosenAction> {
        let WeightedAction { weight, class } = weights.weight(ply)?;
        let drop = match ply {
            Ply::Drop { role, to } => Some((Reserve::slot(role)? as u8, weights.drops_on(to))),
            Ply::Move { .. } => None,
        };
        Some(ChosenAction { weight: params::choice_speaks(weight), class, totals, drop })
    }
}

/// Change of the reserves by one ply, and the choice of the ply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReserveChange {
    pub(crate) side: Color,
    /// Role dropped.
    pub(crate) drop: Option<Role>,
    /// Role that the partner gets.
    pub(crate) captured: Option<Role>,
    /// The ply among all that its player could have done. None for an illegal ply, whose weight is
    /// part of the transition's, and for a ply that counts as an average one.
    pub(crate) made: Option<ChosenAction>,
}

/// One transition that explains the segment from one position.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    /// Probability of pattern and readings, each legal ply counted as an average one
    /// ([`PLY`](crate::params::PLY)): the formula of [`explain`](crate::proposal::explain).
    pub(crate) weight: f64,
    pub(crate) target: PositionId,
    pub(crate) explanation: u32,
    /// Index of the same explanation if the piece that it drops was not in the reserve yet.
    pub(crate) on_credit: u32,
    /// Whether every moved piece has been read where it should be.
    pub(crate) settled: bool,
    pub(crate) reserve_changes: SmallVec<[ReserveChange; 1]>,
}

/// A position to be explained from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SourcePosition {
    pub(crate) id: PositionId,
    /// Its probability.
    pub(crate) mass: f64,
    /// Roles that each colour holds in some hypothesis of it, White first.
    pub(crate) held: [RoleSet; 2],
}

/// All transitions that explain a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transitions {
    pub(crate) explanations: Vec<Explanation>,
    /// Sums over all actions of the positions in which plies were made.
    pub(crate) totals: Vec<ActionTotals>,
    pub(crate) list: Vec<Transition>,
    /// Roles that each colour could drop at most, White first.
    pub(crate) roles: [RoleSet; 2],
    /// Weight of the likeliest transition.
    pub(crate) best: f64,
    /// Plies whose own alternatives were not examined.
    pub(crate) unweighed: UnweighedPlies,
    /// The indices of the transitions from each position that was explained.
    pub(crate) spans: FxHashMap<PositionId, Range<usize>>,
}

impl Transitions {
    /// The transitions from one position.
    pub(crate) fn from(&self, id: PositionId) -> &[Transition] {
        &self.list[self.numbers_from(id)]
    }

    /// The indices of the transitions from one position.
    pub(crate) fn numbers_from(&self, id: PositionId) -> Range<usize> {
        self.spans.get(&id).cloned().unwrap_or_default()
    }
}

/// A ply, who made it, and the role that moved. Plies with equal kinds have much the same reasons.
pub(crate) type PlyKind = (Ply, Color, Option<Role>);
/// A position and the squares of the last arrivals in it.
pub(crate) type ChoicePlace = (PositionId, Recent);

/// A legal ply whose alternatives are still to be examined.
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
    /// Side whose drops are among the alternatives.
    pub(crate) roles: RoleSet,
    pub(crate) plies: SmallVec<[UnweighedPly; 1]>,
}

/// The plies of a segment's transitions whose alternatives are to be examined, by choice point.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnweighedPlies {
    pub(crate) points: Vec<ChoicePoint>,
    numbers: FxHashMap<ChoicePlace, usize>,
}

impl UnweighedPlies {
    /// Notes a ply made in one position.
    pub(crate) fn note(&mut self, noted: ChoicePoint) {
        let UnweighedPlies { points, numbers } = self;
        let number = *numbers.entry(noted.place).or_insert(points.len());
        match points.get_mut(number) {
            Some(point) => {
                point.roles = point.roles.union(noted.roles);
                point.plies.extend(noted.plies);
            }
            None => points.push(noted),
        }
    }
}

#[cfg(test)]
impl ChosenAction {
    /// A quiet move of weight 1 in a position with these totals.
    pub(crate) fn average(totals: u32) -> ChosenAction {
        ChosenAction { weight: 1.0, class: ActionClass::QUIET, totals, drop: None }
    }
}
