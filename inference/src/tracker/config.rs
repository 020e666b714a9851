//! How a match is tracked: how many hypotheses, how late, by which model of players, and what people know.

use std::sync::Arc;

use action_model::ActionPrior;

use crate::facts::Facts;

/// How a match is tracked.
#[derive(Clone, Debug)]
pub struct TrackerConfig {
    /// Most joint hypotheses kept, 1 to 4096.
    pub beam: usize,
    /// Plies, over both boards, after which a lagged answer is given.
    pub lag: usize,
    /// What players choose; none for the weights that come with the program for the game.
    pub prior: Option<Arc<dyn ActionPrior>>,
    /// What people know of the match, every ply [anchored](Facts::anchored).
    pub facts: Facts,
}

impl Default for TrackerConfig {
    fn default() -> TrackerConfig {
        TrackerConfig { beam: 512, lag: 8, prior: None, facts: Facts::none() }
    }
}
