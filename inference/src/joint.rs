//! A joint hypothesis: what stands on both boards and what all four players hold.

use std::hash::{Hash, Hasher};

use rules::{BoardId, Color, Reserve, Seat};

use crate::boards::PositionId;

/// Both positions, by number, and the four reserves in the order of [`Seat::ALL`]: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JointState {
    pub(crate) boards: [PositionId; 2],
    pub(crate) reserves: [Reserve; 4],
}

impl JointState {
    /// The reserve of the player of `color` at `board`.
    pub(crate) fn reserve(&self, board: BoardId, color: Color) -> &Reserve {
        &self.reserves[Seat { board, color }.index()]
    }

    /// The same, to change it.
    pub(crate) fn reserve_mut(&mut self, board: BoardId, color: Color) -> &mut Reserve {
        &mut self.reserves[Seat { board, color }.index()]
    }

    /// The state as numbers: 40 bits for each reserve, 16 for each board.
    fn words(&self) -> [u64; 4] {
        let [a, b, c, d] = self.reserves.map(|reserve| {
            let [pawns, knights, bishops, rooks, queens] =
                reserve.counts().map(|count| u64::from(count.cast_unsigned()));
            pawns | knights << 8 | bishops << 16 | rooks << 24 | queens << 32
        });
        [a | u64::from(self.boards[0].0) << 40, b | u64::from(self.boards[1].0) << 40, c, d]
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
        let state =
            JointState { boards: [PositionId(1), PositionId(2)], reserves: [Reserve::EMPTY; 4] };
        let mut other = state;
        other.reserve_mut(BoardId::B, Color::Black).take(Role::Queen);
        assert_ne!(state, other);
        assert_ne!(state.words(), other.words());
        assert_eq!(other.reserve(BoardId::B, Color::Black).debt(), 1);
    }
}
