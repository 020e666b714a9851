//! A joint hypothesis: both positions, the reserves of all four players, and the contents of the trays.
//!
//! Hundreds of them are hashed and compared at every ply, so each is three machine words of numbers.

use std::hash::{Hash, Hasher};

use rules::{BoardId, Color, Seat};

use crate::state::{packed_reserve::PackedReserve, position_table::PositionId, trays::TraysId};

/// Both positions by number, the reserves in the order of [`Seat::ALL`], and the contents of the trays by
/// number: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointState {
    pub(crate) boards: [PositionId; 2],
    pub(crate) holdings: [PackedReserve; 4],
    pub(crate) trays: TraysId,
}

impl JointState {
    /// These positions, with empty reserves and trays.
    pub(crate) const fn empty_handed(boards: [PositionId; 2]) -> JointState {
        JointState { boards, holdings: [PackedReserve::EMPTY; 4], trays: TraysId(0) }
    }

    /// The reserve of the player of `color` at `board`.
    pub(crate) fn holding(&self, board: BoardId, color: Color) -> PackedReserve {
        self.holdings[Seat { board, color }.index()]
    }

    /// The same, to change it.
    pub(crate) fn holding_mut(&mut self, board: BoardId, color: Color) -> &mut PackedReserve {
        &mut self.holdings[Seat { board, color }.index()]
    }

    /// The state as numbers: 30 bits for each reserve, 16 for each board and for the trays.
    fn words(&self) -> [u64; 3] {
        let [a, b, c, d] = self.holdings.map(|holding| u64::from(holding.bits()));
        let [first, second] = self.boards.map(|board| u64::from(board.0));
        [a | b << 32, c | d << 32, first | second << 16 | u64::from(self.trays.0) << 32]
    }
}

impl Hash for JointState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for word in self.words() {
            state.write_u64(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use rules::Role;

    use super::*;

    #[test]
    fn a_joint_state_takes_24_bytes_and_every_part_counts() {
        assert_eq!(size_of::<JointState>(), 24);
        let state = JointState::empty_handed([PositionId(1), PositionId(2)]);
        let mut other = state;
        other.holding_mut(BoardId::B, Color::Black).take(Role::Queen);
        assert_ne!(state, other);
        assert_ne!(state.words(), other.words());
        assert_eq!(other.holding(BoardId::B, Color::Black).debt(), 1);
        other.boards[1] = PositionId(3);
        assert_ne!(state.words()[2], other.words()[2]);
        other.boards[1] = PositionId(2);
        other.trays = TraysId(1);
        assert_ne!(state.words()[2], other.words()[2]);
    }

    #[test]
    fn what_has_just_arrived_tells_two_states_apart_until_its_owner_has_made_a_ply() {
        let mut early = JointState::empty_handed([PositionId(1), PositionId(2)]);
        let mut late = early;
        early.holding_mut(BoardId::A, Color::White).add(Role::Rook);
        early.holding_mut(BoardId::A, Color::White).settle();
        late.holding_mut(BoardId::A, Color::White).add(Role::Rook);
        assert_ne!(early, late);
        late.holding_mut(BoardId::A, Color::White).settle();
        assert_eq!(early, late);
    }
}
