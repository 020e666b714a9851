//! Action weights of the positions that hypotheses have for one board, kept to be asked for again.
//!
//! A press is often explained more than once: the readings so far explain it badly, or a piece is still settling. The
//! positions do not change until one explanation is accepted. The second pass explains some segments anew from
//! positions that were weighed the first time.

use action_model::{ActionPrior, ActionWeights, Recent, RoleSet};
use rustc_hash::FxHashMap;

use crate::state::position_table::{PositionId, PositionTable};

/// Most positions kept, about 2 kB each: more than nearly all matches need. Beyond this, all are forgotten and weighed
/// anew. Bound: on memory.
const MAX_KEPT: usize = 512;

/// The action weights of a position, and the roles they were made for.
#[derive(Clone, Debug)]
struct Kept {
    /// Whose drops were weighed.
    roles: RoleSet,
    weights: ActionWeights,
}

/// Action weights by position and by the squares of the last arrivals in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActionWeightCache {
    made: Vec<Kept>,
    /// Their indices.
    places: FxHashMap<(PositionId, Recent), u32>,
    /// How many were made since the last accepted explanation.
    count: usize,
}

impl ActionWeightCache {
    /// The action weights of a position with drops of these roles at least, made if they are not known.
    pub(crate) fn of(
        &mut self,
        id: PositionId,
        recent: Recent,
        roles: RoleSet,
        positions: &PositionTable,
        prior: &ActionPrior,
    ) -> &ActionWeights {
        let mut weigh = |roles| {
            self.count += 1;
            let weights = prior.action_weights(&positions.get(id).position, &recent, roles);
            Kept { roles, weights }
        };
        let place = match self.places.get(&(id, recent)) {
            Some(&place) => {
                let made = &mut self.made[place as usize];
                if !made.roles.covers(roles) {
                    *made = weigh(made.roles.union(roles));
                }
                place
            }
            None => {
                if self.made.len() >= MAX_KEPT {
                    self.made.clear();
                    self.places.clear();
                }
                self.made.push(weigh(roles));
                let place = self.made.len() as u32 - 1;
                self.places.insert((id, recent), place);
                place
            }
        };
        &self.made[place as usize].weights
    }

    /// How many positions were weighed since the last accepted explanation.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// An explanation has been accepted: counts anew.
    pub(crate) fn begin_ply(&mut self) {
        self.count = 0;
    }

    /// Forgets all: positions have new numbers.
    pub(crate) fn compact(&mut self) {
        *self = ActionWeightCache::default();
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.made.capacity() * size_of::<Kept>()
            + self.places.capacity() * (size_of::<((PositionId, Recent), u32)>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use rules::{Position, Role, Square, Supply};

    use super::*;

    use crate::state::takeback::Takeback;

    #[test]
    fn a_role_that_was_not_asked_for_before_is_weighed_beside_those_that_were() {
        let mut positions = PositionTable::new(Supply::Partner);
        let id = positions.intern(Position::initial(), Takeback::Nothing).expect("room");
        let (mut action_weights, prior) = (ActionWeightCache::default(), ActionPrior::uniform());
        let mut legal = |roles: RoleSet| {
            let weights = action_weights.of(id, Recent::default(), roles, &positions, &prior);
            [Role::Knight, Role::Queen]
                .map(|role| weights.weight(rules::Ply::Drop { role, to: Square::E4 }).is_some())
        };
        let (knight, queen) = (RoleSet::NONE.with(Role::Knight), RoleSet::NONE.with(Role::Queen));
        assert_eq!(legal(knight), [true, false]);
        assert_eq!(legal(queen), [true, true]);
        assert_eq!(legal(knight), [true, true]);
    }
}
