//! The configuration of a tracker: width of the beam, lag, model of the players, and facts.

use std::sync::Arc;

use action_model::ActionPrior;

use crate::facts::Facts;

/// The configuration of a tracker.
#[derive(Clone, Debug)]
pub struct TrackerConfig {
    /// Most joint hypotheses kept, 1 to 4096; other values are clamped. The default 512 is measured:
    /// `docs/decisions/0009-limits-of-reed-boards.md`.
    pub beam: usize,
    /// A lagged answer is given after so many later plies of both boards.
    pub lag: usize,
    /// The model of the players' choices. None means the weights that ship with the program for the game.
    pub prior: Option<Arc<ActionPrior>>,
    /// The facts of people about the match, every ply [anchored](Facts::anchored).
    pub facts: Facts,
}

impl Default for TrackerConfig {
    fn default() -> TrackerConfig {
        TrackerConfig { beam: 512, lag: 8, prior: None, facts: Facts::default() }
    }
}
