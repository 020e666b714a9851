//! How likely a player's choices are before anything is seen of them.
//!
//! A reed board hides which type of piece was dropped. What a prior knows about players is all that
//! speaks for one type or another until the piece moves, gives a check that is (or is not) answered,
//! or is captured and dropped again. What is *not* done speaks too: a player who had a queen and did
//! not mate with it had no queen. So a prior weighs everything that could have been done, and the
//! probability of a ply is its share:
//!
//! ```text
//! P(ply | position, circumstances) = weight(ply) × factor(class of ply) / Σ over all actions at hand
//! ```
//!
//! The weights and their sums depend on the position alone (a [`ActionWeights`]), the factors on who holds
//! what ([`Circumstances`]); so hundreds of joint hypotheses share one survey.
//!
//! This crate is pure: no clock, file, thread or global; equal arguments give equal numbers, bit for bit, on every machine.
//! Learning the weights stands behind the feature `training`, so that a hub is built without it.
#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)]

mod action_class;
mod action_weights;
mod circumstances;
mod learnt;
mod role_set;
#[cfg(feature = "training")]
pub mod training;
mod uniform;
mod unseen;

pub use action_class::{ACTION_CLASSES, ActionClass};
pub use action_weights::{
    ActionTotals, ActionWeights, DropsThere, Factors, NO_FACTORS, WeightedAction,
};
pub use circumstances::{Circumstances, Recent};
pub use learnt::{LearntPrior, Weights, WeightsError};
pub use role_set::RoleSet;
pub use uniform::UniformPrior;
pub use unseen::unseen;

use rules::Position;

/// A model of what players choose. Implementations are pure: equal arguments give equal numbers, bit
/// for bit, on every machine.
pub trait ActionPrior: Send + Sync + std::fmt::Debug {
    /// The weights of everything that the side to move can do, drops as if one piece of each of `roles`
    /// were held.
    fn action_weights(&self, position: &Position, recent: &Recent, roles: RoleSet)
    -> ActionWeights;

    /// What the circumstances of a joint hypothesis make of each class of actions.
    fn factors(&self, _circumstances: &Circumstances) -> Factors {
        NO_FACTORS
    }
}
