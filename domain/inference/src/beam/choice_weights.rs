//! The choice of positions whose actions are all weighed, to give each ply's probability among its alternatives.
//!
//! ```text
//! part(position) = SUM over plies made in it of p(source) * weight / SUM over all transitions of the same
//! ```
//!
//! `p(source)` is the probability of the position that a transition comes from, `weight` that of the
//! [transition](Transition).
//!
//! To weigh all actions of a position is the most expensive question of a step. Most positions need
//! no answer: the readings speak against them, or the same ply was made in a likelier position with
//! much the same alternatives. So all transitions are found first, from the readings. Then the
//! actions of positions are weighed, the greatest part first. A ply of a position with a slight
//! part weighs as in the likeliest position in which it was made. The second pass finds other
//! positions likely, and weighs the positions that were passed over.

use action_model::{ActionPrior, RoleSet};
use rustc_hash::FxHashMap;

use crate::{
    beam::action_weight_cache::ActionWeightCache,
    proposal::{
        closed_segment::SearchEffort,
        transitions::{
            ChoicePoint, ChosenAction, PlyKind, SourcePosition, Transition, Transitions,
            UnweighedPly,
        },
    },
    state::position_table::{PositionId, PositionTable},
};

/// A position with a smaller part than this is weighed only if one of its plies was made in no
/// weighed position. Measured: `docs/decisions/0009-limits-of-reed-boards.md`.
const MIN_WEIGHED_MASS: f64 = 3e-3;
/// Maximum number of positions whose actions are weighed for one press. After that, plies weigh as elsewhere or
/// as average ones. Bound: on work.
const MAX_WEIGHED_A_PLY: usize = 256;

/// The explanations of a segment, before choices and reserves are weighed.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(super) effort: SearchEffort,
    pub(super) transitions: Transitions,
    /// The positions of the closing board, those first that stand best in their set-up.
    pub(super) sources: Vec<SourcePosition>,
    /// The roles of each colour whose capture at the partner board may be under way, by the position there.
    pub(super) supported: FxHashMap<PositionId, [RoleSet; 2]>,
}

impl Proposal {
    /// Weighs every ply that was noted among its alternatives.
    pub(super) fn weigh_choices(
        &mut self,
        prior: &ActionPrior,
        positions: &PositionTable,
        action_weights: &mut ActionWeightCache,
    ) {
        let points = self.ranked_choice_points();
        let Transitions { list, totals, .. } = &mut self.transitions;
        let mut examples = FxHashMap::<PlyKind, ChosenAction>::default();
        for (part, ChoicePoint { place, roles, plies }) in points {
            let is_known = |open: &UnweighedPly| examples.contains_key(&open.kind);
            let enough = action_weights.count >= MAX_WEIGHED_A_PLY;
            let is_slight = enough || part < MIN_WEIGHED_MASS && plies.iter().all(is_known);
            let weights = (!is_slight).then(|| action_weights.of(place, roles, positions, prior));
            let number = totals.len() as u32;
            totals.extend(weights.map(|weights| weights.totals));
            for open in &plies {
                let made = match weights {
                    Some(weights) => ChosenAction::of(open.kind.0, weights, number),
                    None => examples.get(&open.kind).copied(),
                };
                let transition = &mut list[open.transition as usize];
                transition.reserve_changes[open.reserve_change as usize].made = made;
                if let Some(made) = made {
                    examples.entry(open.kind).or_insert(made);
                }
            }
        }
    }

    /// The choice points with their parts, the greatest first.
    fn ranked_choice_points(&mut self) -> Vec<(f64, ChoicePoint)> {
        let points = std::mem::take(&mut self.transitions.unweighed).points;
        let weight = |transition: &Transition| transition.weight;
        let mut masses: FxHashMap<PositionId, f64> = FxHashMap::default();
        let mut total = 0.0;
        for &SourcePosition { id, mass, .. } in &self.sources {
            masses.insert(id, mass);
            total += mass * self.transitions.from(id).iter().map(weight).sum::<f64>();
        }
        let part = |point: &ChoicePoint| {
            let parts = point.plies.iter().map(|open| {
                let mass = masses.get(&open.from).copied().unwrap_or_default();
                mass * weight(&self.transitions.list[open.transition as usize])
            });
            parts.sum::<f64>() / total
        };
        let mut ranked: Vec<(f64, ChoicePoint)> =
            points.into_iter().map(|point| (part(&point), point)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use action_model::Recent;
    use rules::{Color, Position, Role};
    use smallvec::{SmallVec, smallvec};

    use super::*;
    use crate::{
        proposal::transitions::ReserveChange,
        state::position_table::{PositionEntry, no_positions},
    };

    const MOVE: &str = "e2e4";

    /// The transitions of positions in which the same pawn moves and the readings are the same.
    fn transitions_from(ids: &[PositionId]) -> Transitions {
        let mut transitions = Transitions::default();
        for &id in ids {
            let kind = (MOVE.parse().expect("a ply"), Color::White, Some(Role::Pawn));
            let place = (id, Recent::default());
            let begin = transitions.list.len();
            let ply = UnweighedPly { transition: begin as u32, reserve_change: 0, from: id, kind };
            transitions.unweighed.note(ChoicePoint {
                place,
                roles: RoleSet::NONE,
                plies: smallvec![ply],
            });
            let reserve_change =
                ReserveChange { side: Color::White, drop: None, captured: None, made: None };
            transitions.list.push(Transition {
                weight: 1.0,
                target: id,
                explanation: 0,
                on_credit: 0,
                settled: true,
                reserve_changes: SmallVec::from_iter([reserve_change]),
            });
            transitions.spans.insert(id, begin..begin + 1);
        }
        transitions
    }

    #[test]
    fn only_likely_positions_are_weighed_for_a_ply_that_all_have() {
        let (mut positions, mut action_weights) = (no_positions(), ActionWeightCache::default());
        let ids = [Position::initial(), Position::initial_swapped(true, false)]
            .map(|position| positions.intern(PositionEntry::of(position)).expect("room"));
        let mut weighed = |masses: [f64; 2]| {
            let source =
                |at: usize| SourcePosition { id: ids[at], mass: masses[at], ..Default::default() };
            let mut found = Proposal {
                effort: SearchEffort::Full,
                transitions: transitions_from(&ids),
                sources: vec![source(0), source(1)],
                supported: FxHashMap::default(),
            };
            found.weigh_choices(&ActionPrior::uniform(), &positions, &mut action_weights);
            let totals: Vec<u32> = found
                .transitions
                .list
                .iter()
                .flat_map(|transition| transition.reserve_changes[0].made)
                .map(|made| made.totals)
                .collect();
            (action_weights.count, totals)
        };
        let slight = MIN_WEIGHED_MASS / 2.0;
        assert_eq!(weighed([1.0 - slight, slight]), (1, vec![0, 0]));
        assert_eq!(weighed([MIN_WEIGHED_MASS, 1.0 - MIN_WEIGHED_MASS]).1, [1, 0]);
    }
}
