//! ```text
//! P(ply | position, circumstances) = weight(ply) · factor(class of ply) / Σ_a weight(a) · factor(class of a)
//! ```
//!
//! The prior probability of a player's choices. `a` runs over all legal moves and over the drops of held roles. The
//! weights and their sums depend on the position alone ([`ActionWeights`]), the factors on reserves and clocks
//! ([`Circumstances`]). So hundreds of joint hypotheses share the action weights of one position.
//!
//! A reed board hides the type of a dropped piece. Until the piece moves, gives a check, or is captured and dropped
//! again, only a prior on players speaks for one type or another. A choice that was *not* made is evidence too: a
//! player who could mate with a queen and did not probably had no queen. So a prior weighs every possible action.
//!
//! This crate is pure: it uses no clock, file, thread or global, and equal arguments give equal numbers, bit for bit,
//! on every machine. Training stands behind the feature `training`, and a hub is built without it.
#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)]

mod action_class;
mod action_weights;
mod circumstances;
mod learnt;
mod role_set;
#[cfg(feature = "training")]
pub mod training;
mod unseen;

pub use action_class::{ACTION_CLASSES, ActionClass};
pub use action_weights::{ActionTotals, ActionWeights, DropsThere, Factors, WeightedAction};
pub use circumstances::{Circumstances, Recent};
pub use learnt::{ActionPrior, Weights, WeightsError};
pub use role_set::RoleSet;
pub use unseen::unseen;
