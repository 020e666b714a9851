//! Waiting for a table's nodes to come back together.
//!
//! After a restart, or when a cable was out for a moment, every node sends what it has kept, but not
//! all nodes do so at once. If the squares of ten seconds were handed on before the presses of the
//! same ten seconds, they could not be told apart any more. So nothing is handed on until all nodes
//! that are expected have spoken, or patience has run out.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::record::NodeState;

/// Longest wait after the hub has started: ports that could not be opened are tried again in it.
const START_MAX: Duration = Duration::from_secs(3);
/// Longest wait for a node that was lost.
const LOST_MAX: Duration = Duration::from_secs(2);
/// How long the last node to come has for what it kept: about two thousand bytes at the usual speed.
const CATCH_UP: Duration = Duration::from_millis(250);

/// Which nodes are waited for, and until when.
#[derive(Debug)]
pub(crate) struct Patience {
    missing: BTreeSet<String>,
    until: Option<Instant>,
}

impl Patience {
    /// Waits for all `nodes` of a table that starts now.
    pub(crate) fn new(nodes: impl Iterator<Item = String>, now: Instant) -> Patience {
        Patience { missing: nodes.collect(), until: Some(now + START_MAX) }
    }

    /// A node came or went. One that was waited for and is said to be lost is waited for no longer.
    pub(crate) fn hear(&mut self, node: &str, state: NodeState, now: Instant) {
        let was_missing = self.missing.remove(node);
        match state {
            NodeState::Lost if !was_missing => {
                self.missing.insert(node.to_owned());
                self.until = Some(now + LOST_MAX);
            }
            _ if was_missing && self.missing.is_empty() => {
                self.until = self.until.map(|until| until.min(now + CATCH_UP));
            }
            _ => {}
        }
    }

    /// Whether readings have to wait.
    pub(crate) fn is_waiting(&mut self, now: Instant) -> bool {
        if self.until.is_some_and(|until| now < until) {
            return true;
        }
        self.until = None;
        false
    }

    /// How much longer they wait at most.
    pub(crate) fn remaining(&self, now: Instant) -> Duration {
        self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(10);

    fn nodes() -> impl Iterator<Item = String> {
        ["board", "clock"].into_iter().map(str::to_owned)
    }

    #[test]
    fn readings_wait_until_all_nodes_have_come_and_caught_up() {
        let start = Instant::now();
        let mut patience = Patience::new(nodes(), start);
        patience.hear("board", NodeState::Connected, start);
        assert!(patience.is_waiting(start + CATCH_UP + MOMENT));
        patience.hear("clock", NodeState::Connected, start + MOMENT);
        assert!(patience.is_waiting(start + CATCH_UP));
        assert!(!patience.is_waiting(start + CATCH_UP + MOMENT));
    }

    #[test]
    fn a_node_that_is_not_there_does_not_hold_the_others_up() {
        let start = Instant::now();
        let mut patience = Patience::new(nodes(), start);
        patience.hear("clock", NodeState::Lost, start);
        patience.hear("board", NodeState::Connected, start);
        assert!(!patience.is_waiting(start + CATCH_UP));
        patience.hear("board", NodeState::Lost, start + START_MAX);
        assert!(patience.is_waiting(start + START_MAX));
        assert!(!patience.is_waiting(start + START_MAX + LOST_MAX));
    }
}
