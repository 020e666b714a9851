//! Evidence beside the position that bears on a choice: last arrivals, reserves and clocks.

use rules::{Bitboard, Reserve};

use super::RoleSet;

/// The squares on which the last two plies of a board arrived. The sensors show them, whatever the reserves are.
/// Empty if nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Recent {
    /// By the opponent of the side to move: the last ply. A piece there is often captured back.
    pub by_opponent: Bitboard,
    /// By the side to move: its own ply before that.
    pub by_mover: Bitboard,
}

/// Reserves, which differ between joint hypotheses with one position, and the times by the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Circumstances {
    /// The mover's reserve. Owed pieces count as none.
    pub held: Reserve,
    /// Roles that arrived in it since the mover's own last ply.
    pub fresh: RoleSet,
    /// The opponent's reserve at the same board.
    pub against: Reserve,
    /// Time from the opponent's press to the mover's, milliseconds.
    pub thought_ms: Option<u32>,
    /// Remaining times before the ply, the mover's and the opponent's, milliseconds.
    pub left_ms: Option<[u32; 2]>,
}
