//! Surveys of the positions that hypotheses have for one board, kept while its next ply is looked for.
//!
//! A press is often explained more than once (what was read so far explains it badly, or a piece is
//! still settling), and the positions do not change until one explanation is accepted.

use rustc_hash::FxHashMap;

use crate::{
    boards::{PositionId, Positions},
    prior::{ActionPrior, Recent, RoleSet, Survey},
};

/// Surveys kept, about 2 kB each: more than a beam of 512 needs as a rule. Beyond that they are made anew.
const MAX_SURVEYS: usize = 448;

/// A survey and what it was made for.
#[derive(Clone, Debug)]
struct Made {
    recent: Recent,
    /// Whose drops were weighed.
    roles: RoleSet,
    survey: Survey,
}

/// Surveys by position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surveys {
    known: FxHashMap<PositionId, Made>,
    /// How many were made since the last ply.
    count: usize,
}

impl Surveys {
    /// The survey of a position with drops of these roles at least, made if it is not known.
    pub(crate) fn of(
        &mut self,
        id: PositionId,
        recent: Recent,
        roles: RoleSet,
        positions: &Positions,
        prior: &dyn ActionPrior,
    ) -> &Survey {
        if self.known.len() >= MAX_SURVEYS {
            self.known.clear();
        }
        let count = &mut self.count;
        let mut survey = |roles| {
            *count += 1;
            let survey = prior.survey(&positions.get(id).position, &recent, roles);
            Made { recent, roles, survey }
        };
        let made = self.known.entry(id).or_insert_with(|| survey(roles));
        if made.recent != recent {
            *made = survey(roles);
        } else if !made.roles.covers(roles) {
            *made = survey(made.roles.union(roles));
        }
        &made.survey
    }

    /// How many surveys were made since the last ply.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Forgets all: a ply has been made, or positions have new numbers.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.count = 0;
    }

    /// Memory taken, bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.known.capacity() * (size_of::<(PositionId, Made)>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use rules::{Position, Role, Square};

    use super::*;
    use crate::prior::FrequencyPrior;

    #[test]
    fn a_role_that_was_not_asked_for_before_is_surveyed_beside_those_that_were() {
        let mut positions = Positions::default();
        let id = positions.intern(Position::initial()).expect("room");
        let (mut surveys, prior) = (Surveys::default(), FrequencyPrior::default());
        let mut legal = |roles: RoleSet| {
            let survey = surveys.of(id, Recent::default(), roles, &positions, &prior);
            [Role::Knight, Role::Queen]
                .map(|role| survey.weight(rules::Ply::Drop { role, to: Square::E4 }).is_some())
        };
        let (knight, queen) = (RoleSet::NONE.with(Role::Knight), RoleSet::NONE.with(Role::Queen));
        assert_eq!(legal(knight), [true, false]);
        assert_eq!(legal(queen), [true, true]);
        assert_eq!(legal(knight), [true, true]);
    }
}
