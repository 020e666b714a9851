//! What beside one board's position bears on a choice.

use rules::{Bitboard, Reserve};

use super::RoleSet;

/// Where the last two plies of a board were seen to arrive: known from the squares alone, whoever
/// holds what. Empty where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Recent {
    /// By the opponent of the side to move: the last ply. A piece there is often captured back.
    pub by_opponent: Bitboard,
    /// By the side to move: its own ply before that.
    pub by_mover: Bitboard,
}

/// What differs between joint hypotheses that share a position, and what the clocks say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Circumstances {
    /// The mover's reserve. Debts count as nothing.
    pub held: Reserve,
    /// Roles that arrived in it since the mover's own last ply.
    pub fresh: RoleSet,
    /// The opponent's reserve at the same board.
    pub against: Reserve,
    /// Time from the opponent's press to the mover's, milliseconds.
    pub thought_ms: Option<u32>,
    /// What was left on the clocks before the ply: the mover's and the opponent's, milliseconds.
    pub left_ms: Option<[u32; 2]>,
}
