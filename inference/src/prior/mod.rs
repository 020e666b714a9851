//! How likely a player's choices are before anything is seen of them.
//!
//! A reed board hides which type of piece was dropped. What a prior knows about players is all that
//! speaks for one type or another until the piece moves, gives a check that is (or is not) answered,
//! or is captured and dropped again.

mod drops;

pub use drops::FrequencyPrior;

use rules::{Position, Square};

/// A model of what players choose. Implementations are pure: equal arguments give equal numbers.
pub trait ActionPrior: Send + Sync + std::fmt::Debug {
    /// For a drop by the side to move on `to`: how likely each role is, in the order of
    /// [`RESERVE_ROLES`](rules::RESERVE_ROLES), if the reserve held one of each. Only ratios matter; every
    /// number is finite and above 0.
    fn drop_weights(&self, position: &Position, to: Square) -> [f64; 5];
}
