//! Action weights of the positions that hypotheses have for one board, kept to be asked for again.
//!
//! A press is often explained more than once: the readings so far explain it badly, or a piece is
//! still settling. The positions do not change until one explanation is accepted. The second pass
//! explains some segments again from positions that were weighed the first time.

use action_model::{ActionPrior, ActionWeights, RoleSet};
use rustc_hash::FxHashMap;

use crate::{proposal::transitions::ChoicePlace, state::position_table::PositionTable};

/// Maximum number of positions kept, about 2 kB each: more than nearly all matches need. Beyond this, all are
/// forgotten and weighed again. Bound: on memory.
const MAX_KEPT: usize = 512;

/// Action weights by position and by the squares of the last arrivals in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActionWeightCache {
    /// The action weights, and the roles whose drops were weighed.
    made: FxHashMap<ChoicePlace, Box<(RoleSet, ActionWeights)>>,
    /// Number of weighings since the last accepted explanation.
    pub(crate) count: usize,
}

impl ActionWeightCache {
    /// The action weights of a position with drops of these roles at least, made if they are not known.
    pub(crate) fn of(
        &mut self,
        place: ChoicePlace,
        roles: RoleSet,
        positions: &PositionTable,
        prior: &ActionPrior,
    ) -> &ActionWeights {
        let ActionWeightCache { made, count } = self;
        let mut weigh = |roles| {
            *count += 1;
            let position = &positions.get(place.0).position;
            Box::new((roles, prior.action_weights(position, &place.1, roles)))
        };
        if made.len() >= MAX_KEPT && !made.contains_key(&place) {
            made.clear();
        }
        let made = made.entry(place).or_insert_with(|| weigh(roles));
        if !made.0.covers(roles) {
            *made = weigh(made.0.union(roles));
        }
        &made.1
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.made.capacity() * (size_of::<ChoicePlace>() + size_of::<usize>() + 1)
            + self.made.len() * size_of::<(RoleSet, ActionWeights)>()
    }
}

#[cfg(test)]
mod tests {
    use action_model::Recent;
    use rules::{Position, Role, Square};

    use super::*;
    use crate::state::position_table::{PositionEntry, no_positions};

    #[test]
    fn a_role_that_was_not_asked_for_before_is_weighed_beside_those_that_were() {
        let mut positions = no_positions();
        let id = positions.intern(PositionEntry::of(Position::initial())).expect("room");
        let (mut action_weights, prior) = (ActionWeightCache::default(), ActionPrior::uniform());
        let mut legal = |roles: RoleSet| {
            let weights = action_weights.of((id, Recent::default()), roles, &positions, &prior);
            [Role::Knight, Role::Queen]
                .map(|role| weights.weight(rules::Ply::Drop { role, to: Square::E4 }).is_some())
        };
        let (knight, queen) = (RoleSet::NONE.with(Role::Knight), RoleSet::NONE.with(Role::Queen));
        assert_eq!(legal(knight), [true, false]);
        assert_eq!(legal(queen), [true, true]);
        assert_eq!(legal(knight), [true, true]);
    }
}
