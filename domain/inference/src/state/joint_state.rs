//! A joint hypothesis: both positions, the reserves of all four players, and the contents of the trays.

use std::hash::{Hash, Hasher};

use action_model::RoleSet;
use rules::{BoardId, Color, Reserve, Role, Seat, Supply};

use crate::state::{position_table::PositionId, trays::TraysId};

/// A player's reserve, and the roles that have arrived in it since the player's own last ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    /// Owed pieces count below 0.
    pub(crate) reserve: Reserve,
    pub(crate) fresh: RoleSet,
}

/// Maximum number of pieces of one role, held or owed. Bound: on the hypotheses that nonsense makes.
const MOST: i8 = 15;

impl Holding {
    /// A reserve whose pieces all came before the player's last ply.
    pub(crate) fn of(reserve: Reserve) -> Holding {
        let counts = reserve.counts().map(|count| count.clamp(-MOST, MOST));
        Holding { reserve: Reserve::from_counts(counts), fresh: RoleSet::NONE }
    }

    /// A piece arrives. A king never does.
    pub(crate) fn add(&mut self, role: Role) {
        if self.reserve.count(role) < MOST {
            self.reserve.add(role);
        }
        self.fresh.add(role);
    }

    /// A piece is dropped, on credit if none is held. A king never is.
    pub(crate) fn take(&mut self, role: Role) {
        if self.reserve.count(role) > -MOST {
            self.reserve.take(role);
        }
    }

    /// The same reserve with nothing fresh.
    pub(crate) fn settled(self) -> Holding {
        Holding { fresh: RoleSet::NONE, ..self }
    }

    /// The holdings as a number: equal numbers, equal holdings.
    pub(crate) fn bits(self) -> u64 {
        let [a, b, c, d, e] = self.reserve.counts().map(i8::cast_unsigned);
        u64::from_le_bytes([a, b, c, d, e, self.fresh.bits(), 0, 0])
    }

    /// The roles that may be dropped with this supply.
    pub(crate) fn droppable(&self, supply: Supply) -> RoleSet {
        RoleSet::held(&supply.droppable(&self.reserve))
    }
}

/// Both positions by number, what the players hold in the order of [`Seat::ALL`], and the contents
/// of the trays by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointState {
    pub(crate) boards: [PositionId; 2],
    pub(crate) holdings: [Holding; 4],
    pub(crate) trays: TraysId,
}

impl Hash for JointState {
    /// The state as five numbers: hundreds of hypotheses are hashed at every ply.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.holdings.iter().for_each(|holding| holding.bits().hash(state));
        let [a, b] = self.boards.map(u64::from);
        (a | b << 16 | u64::from(self.trays) << 32).hash(state);
    }
}

impl JointState {
    /// These positions, with empty reserves and trays.
    pub(crate) fn empty_handed(boards: [PositionId; 2]) -> JointState {
        JointState { boards, holdings: Default::default(), trays: 0 }
    }

    /// Holdings of the player of `color` at `board`.
    pub(crate) fn holding(&self, board: BoardId, color: Color) -> &Holding {
        &self.holdings[Seat { board, color }.index()]
    }

    /// The same, to change it.
    pub(crate) fn holding_mut(&mut self, board: BoardId, color: Color) -> &mut Holding {
        &mut self.holdings[Seat { board, color }.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stops_at_its_bounds_and_leaves_the_others_alone() {
        let mut holding = Holding::default();
        for _ in 0..40 {
            holding.add(Role::Knight);
            holding.take(Role::Bishop);
        }
        assert_eq!(holding.reserve, Reserve::from_counts([0, MOST, -MOST, 0, 0]));
        assert_eq!(Holding::of(Reserve::from_counts([0, 100, -100, 0, 0])), holding.settled());
    }

    #[test]
    fn what_has_just_arrived_tells_two_states_apart_until_its_owner_has_made_a_ply() {
        let mut early = JointState::empty_handed([1, 2]);
        let mut late = early;
        early.holding_mut(BoardId::A, Color::White).add(Role::Rook);
        early.holding_mut(BoardId::A, Color::White).fresh = RoleSet::NONE;
        late.holding_mut(BoardId::A, Color::White).add(Role::Rook);
        assert_ne!(early, late);
        late.holding_mut(BoardId::A, Color::White).fresh = RoleSet::NONE;
        assert_eq!(early, late);
    }
}
