//! What directors have had clocks give for each move, until its time has come.

use std::collections::VecDeque;

use crate::facts::{Fact, Facts, PerMoveFact};

/// The changes that are still to come, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(super) struct PerMoves(VecDeque<PerMoveFact>);

impl PerMoves {
    pub(super) fn of(facts: &Facts) -> PerMoves {
        let changes = facts.iter().filter_map(|fact| match fact {
            Fact::PerMove(fact) => Some(fact.clone()),
            _ => None,
        });
        let mut changes: Vec<PerMoveFact> = changes.collect();
        changes.sort_by_key(|fact| fact.t_us);
        PerMoves(changes.into())
    }

    /// The next change whose time has come; it is not given again.
    pub(super) fn pop_due(&mut self, now_us: u64) -> Option<PerMoveFact> {
        let is_due = self.0.front().is_some_and(|fact| fact.t_us <= now_us);
        if is_due { self.0.pop_front() } else { None }
    }
}
