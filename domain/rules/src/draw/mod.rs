//! Draws of chess, with or without a claim.
//!
//! Each file holds one way: repetition, moves without progress, material, and endings that blitz
//! books call drawn. Stalemate is a [`BoardState`](crate::BoardState). Everything here is about
//! chess: in bughouse pieces come back, and none of it ends a game.
//!
//! Which of these a book knows, and whether a player must claim it, is for the book to say.

mod drawn_ending;
mod material;
mod progress;
mod repetition;

pub use drawn_ending::DrawnEnding;
pub use material::TwoKnights;
pub use progress::{FIFTY_MOVES_PLIES, SEVENTY_FIVE_MOVES_PLIES};
pub use repetition::{FIVEFOLD, Repetitions, THREEFOLD};
