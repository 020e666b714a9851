//! How likely a player's choices are before anything is seen of them.
//!
//! A reed board hides which type of piece was dropped. What a prior knows about players is all that
//! speaks for one type or another until the piece moves, gives a check that is (or is not) answered,
//! or is captured and dropped again.

mod captures;
mod drops;

pub use captures::{CaptureClues, capture_clues};
pub use drops::FrequencyPrior;

use rules::{Bitboard, Ply, Position, Square};

/// A model of what players choose. Implementations are pure: equal arguments give equal numbers.
pub trait ActionPrior: Send + Sync + std::fmt::Debug {
    /// For a drop by the side to move on `to`: how likely each role is, in the order of
    /// [`RESERVE_ROLES`](rules::RESERVE_ROLES), if the reserve held one of each. Only ratios matter; every
    /// number is finite and above 0.
    fn drop_weights(&self, position: &Position, to: Square) -> [f64; 5];

    /// For a capture by the side to move: how likely it is beside other captures by the same piece. Only
    /// ratios matter. `arrived` are the squares on which the opponent's last ply was seen to arrive. None
    /// if the ply captures nothing that a reserve could hold.
    fn capture_weight(&self, position: &Position, ply: Ply, arrived: Bitboard) -> Option<f64>;
}
