//! Facts from people about the open match.

use inference::facts::{Fact, MatchResult};

use super::Session;
use crate::journal_line::FactLine;

impl Session {
    /// Whether what an order told of the open match is known.
    #[must_use]
    pub fn knows_fact(&self, order: u64) -> bool {
        self.phase.open().is_some_and(|open| open.retold.facts.contains_key(&order))
    }

    /// Adds a fact of the open match, and follows it again; a fact of another match has no effect here.
    pub(super) fn take_fact(&mut self, fact: &FactLine) {
        let Some(open) = self.phase.open_mut().filter(|open| open.id == fact.match_id) else {
            return;
        };
        if !open.retold.note(fact) {
            return;
        }
        open.is_untouched = false;
        let facts = open.retold.facts_of(&fact.match_id);
        open.retold.put_ups.know(&facts);
        open.clock_rows.know(&facts);
        let is_decided =
            |it: &Fact| matches!(it, Fact::Ending(end) if end.result == MatchResult::Decided);
        if open.plies == 0 && facts.iter().any(is_decided) {
            let steps = self.life.decide(self.now);
            self.carry_out(steps);
            return;
        }
        if open.retold.is_whole() && open.follower.is_some() {
            self.follow_anew();
        }
        self.tell_all_squares();
    }
}
