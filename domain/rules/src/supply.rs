//! Origin of the pieces that a player may drop. It decides which drops are legal and whether a check is mate.
//!
//! The same position is judged in three ways. A player in check from afar waits for a piece in bughouse and is mated in chess. At a
//! bughouse table with sensors on only one board, the players' reserves are unknown.

use crate::Reserve;

/// Origin of droppable pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Supply {
    /// Bughouse: captures on the other board fill the reserve, and every capture is known.
    #[default]
    Partner,
    /// Bughouse with an other board that has no sensors: what a player holds is unknown. A drop is
    /// never illegal for want of the piece.
    Unseen,
    /// Chess: nothing is ever dropped, and captured pieces leave the game.
    Nobody,
}

impl Supply {
    /// Every supply, in the order of the declaration.
    pub const ALL: [Supply; 3] = [Supply::Partner, Supply::Unseen, Supply::Nobody];

    /// One piece of each role: a reserve that allows every drop that the board allows.
    const ANYTHING: Reserve = Reserve::from_counts([1; 5]);

    /// Pieces that a player who is known to hold `reserve` may drop: that reserve, one piece of each role when the reserve is unknown,
    /// or nothing.
    #[must_use]
    pub const fn droppable(self, reserve: &Reserve) -> Reserve {
        match self {
            Supply::Partner => *reserve,
            Supply::Unseen => Supply::ANYTHING,
            Supply::Nobody => Reserve::EMPTY,
        }
    }

    /// Whether a partner captures for the player: in both kinds of bughouse.
    #[must_use]
    pub const fn has_partner(self) -> bool {
        match self {
            Supply::Partner | Supply::Unseen => true,
            Supply::Nobody => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RESERVE_ROLES;

    #[test]
    fn partner_supplies_what_was_captured_and_nothing_else() {
        let reserve = Reserve::from_counts([2, 0, 1, 0, -1]);
        assert_eq!(Supply::Partner.droppable(&reserve), reserve);
    }

    #[test]
    fn unseen_partner_may_have_supplied_a_piece_of_any_role() {
        let droppable = Supply::Unseen.droppable(&Reserve::EMPTY);
        assert!(RESERVE_ROLES.into_iter().all(|role| droppable.count(role) > 0));
    }

    #[test]
    fn nobody_supplies_anything_in_chess() {
        let full = Reserve::from_counts([8, 2, 2, 2, 1]);
        assert_eq!(Supply::Nobody.droppable(&full), Reserve::EMPTY);
        assert!(!Supply::Nobody.has_partner());
    }
}
