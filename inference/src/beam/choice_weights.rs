//! Which positions have all their actions weighed, to say how likely each ply was among its alternatives.
//!
//! ```text
//! part(position) = SUM over plies made in it of p(source) * weight / SUM over all transitions of the same
//! ```
//!
//! `p(source)` is the probability of the position that a transition comes from, `weight` that of the
//! [transition](Transition).
//!
//! To weigh all actions of a position is the most expensive question of a step. Most positions need no answer: the
//! readings speak against them, or the same ply was made in a likelier position with much the same alternatives. So all
//! transitions are found first, from the readings. Then the actions of positions are weighed, the greatest part first.
//! A ply of a position with a slight part weighs as in the likeliest position in which it was made. The second pass
//! finds other positions likely, and weighs the positions that were passed over.

use action_model::ActionPrior;
use rustc_hash::FxHashMap;

use crate::{
    beam::action_weight_cache::ActionWeightCache,
    proposal::{
        chosen_action::ChosenAction,
        transitions::{SourcePosition, Transition, Transitions},
        unweighed::{ChoicePoint, PlyKind, UnweighedPly},
    },
    state::position_table::{PositionId, PositionTable},
};

/// A position with a smaller part than this is weighed only if one of its plies was made in no weighed position.
/// Measured: `docs/decisions/0009-limits-of-reed-boards.md`.
const MIN_WEIGHED_MASS: f64 = 3e-3;
/// Most positions whose actions are weighed for one press. After that, plies weigh as elsewhere or as average ones.
/// Bound: on work.
const MAX_WEIGHED_A_PLY: usize = 256;

/// Weighs plies among their alternatives.
pub(crate) struct ChoiceWeights<'a> {
    /// The positions that transitions come from, with their probabilities.
    pub(crate) sources: &'a [SourcePosition],
    pub(crate) prior: &'a ActionPrior,
}

impl ChoiceWeights<'_> {
    /// Weighs every ply that was noted.
    pub(crate) fn weigh(
        &self,
        transitions: &mut Transitions,
        (positions, action_weights): (&PositionTable, &mut ActionWeightCache),
    ) {
        let points = std::mem::take(&mut transitions.unweighed).points;
        let mut examples = FxHashMap::<PlyKind, ChosenAction>::default();
        for (part, point) in self.ranked(points, transitions) {
            let is_known = |open: &UnweighedPly| examples.contains_key(&open.kind);
            let enough = action_weights.count() >= MAX_WEIGHED_A_PLY;
            let ChoicePoint { place: (id, recent), roles, plies } = point;
            if enough || part < MIN_WEIGHED_MASS && plies.iter().all(is_known) {
                for open in &plies {
                    if let Some(&made) = examples.get(&open.kind) {
                        *made_mut(open, transitions) = Some(made);
                    }
                }
                continue;
            }
            let weights = action_weights.of(id, recent, roles, positions, self.prior);
            let totals = transitions.totals.len() as u32;
            transitions.totals.push(weights.totals);
            for open in &plies {
                let made = ChosenAction::of(open.kind.0, weights, totals);
                *made_mut(open, transitions) = made;
                if let Some(made) = made {
                    examples.entry(open.kind).or_insert(made);
                }
            }
        }
    }

    /// The choice points with their parts, the greatest first.
    fn ranked(
        &self,
        points: Vec<ChoicePoint>,
        transitions: &Transitions,
    ) -> Vec<(f64, ChoicePoint)> {
        let weight = |transition: &Transition| transition.weight;
        let mut masses: FxHashMap<PositionId, f64> = FxHashMap::default();
        let mut total = 0.0;
        for &SourcePosition { id, mass, .. } in self.sources {
            masses.insert(id, mass);
            total += mass * transitions.from(id).iter().map(weight).sum::<f64>();
        }
        let part = |point: &ChoicePoint| {
            let parts = point.plies.iter().map(|open| {
                let mass = masses.get(&open.from).copied().unwrap_or_default();
                mass * weight(&transitions.list[open.transition as usize])
            });
            parts.sum::<f64>() / total
        };
        let mut ranked: Vec<(f64, ChoicePoint)> =
            points.into_iter().map(|point| (part(&point), point)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked
    }
}

fn made_mut<'a>(
    open: &UnweighedPly,
    transitions: &'a mut Transitions,
) -> &'a mut Option<ChosenAction> {
    let transition = &mut transitions.list[open.transition as usize];
    &mut transition.reserve_changes[open.reserve_change as usize].made
}

#[cfg(test)]
mod tests {
    use action_model::{Recent, RoleSet};
    use rules::{Color, Position, Role, Supply};

    use super::*;
    use crate::proposal::unweighed::UnweighedPly;
    use action_model::ActionPrior;
    use smallvec::SmallVec;

    use crate::{proposal::transitions::ReserveChange, state::takeback::Takeback};

    const MOVE: &str = "e2e4";

    /// The transitions of positions in which the same pawn moves and the readings are the same.
    fn transitions_from(ids: &[PositionId]) -> Transitions {
        let mut transitions = Transitions::new(ids.len(), [RoleSet::NONE; 2]);
        for &id in ids {
            let kind = (MOVE.parse().expect("a ply"), Color::White, Some(Role::Pawn));
            let place = (id, Recent::default());
            let begin = transitions.list.len();
            let ply = UnweighedPly { transition: begin as u32, reserve_change: 0, from: id, kind };
            transitions.unweighed.note((place, RoleSet::NONE, ply));
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
            transitions.note_explained(id, begin);
        }
        transitions
    }

    #[test]
    fn only_likely_positions_are_weighed_for_a_ply_that_all_have() {
        let (mut positions, mut action_weights) =
            (PositionTable::new(Supply::Partner), ActionWeightCache::default());
        let ids = [Position::initial(), Position::initial_swapped(true, false)]
            .map(|position| positions.intern(position, Takeback::Nothing).expect("room"));
        let mut weighed = |masses: [f64; 2]| {
            let transitions = &mut transitions_from(&ids);
            let sources = [0, 1].map(|at| SourcePosition {
                id: ids[at],
                mass: masses[at],
                held: [RoleSet::NONE; 2],
            });
            let prior = &ActionPrior::uniform();
            ChoiceWeights { sources: &sources, prior }
                .weigh(transitions, (&positions, &mut action_weights));
            let totals: Vec<u32> = transitions
                .list
                .iter()
                .flat_map(|transition| transition.reserve_changes[0].made)
                .map(|made| made.totals())
                .collect();
            (action_weights.count(), totals)
        };
        let slight = MIN_WEIGHED_MASS / 2.0;
        assert_eq!(weighed([1.0 - slight, slight]), (1, vec![0, 0]));
        assert_eq!(weighed([MIN_WEIGHED_MASS, 1.0 - MIN_WEIGHED_MASS]).1, [1, 0]);
    }
}
