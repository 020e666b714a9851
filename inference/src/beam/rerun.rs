//! The second run of the filter over the same steps.
//!
//! ```text
//! keep the first run if log p(readings | first run) > log p(readings | second run) + margin,
//!                    or the work of the second run is more than its bound
//! ```
//!
//! `p(readings | run)` is the product over segments of the evidence that survived the cut. Both are estimates, since
//! hypotheses that go on stand for others; hence the margin.

use super::{Beam, Filter};
use crate::beam::input_log::{InputLog, InputStep};

impl Beam {
    /// Follows the match once more, each step at the effort that the log has for it. The second run is kept unless the
    /// first makes the readings likelier by more than `margin`, on the scale of natural logarithms, or the second takes
    /// more than `most_work`, nodes and transitions. Returns whether the second run is kept.
    pub(crate) fn rerun(&mut self, margin: f64, most_work: usize) -> bool {
        let again = Filter::new(self.setting, self.width, &mut self.positions);
        self.previous = Some(std::mem::replace(&mut self.filter, again));
        // The beam changes while it explains the steps of the log.
        let log = std::mem::take(&mut self.log);
        let before = self.work;
        let is_whole = log.steps().iter().all(|step| {
            self.take_step(step);
            self.work - before <= most_work
        });
        self.log = log;
        match self.previous.take() {
            Some(first)
                if !is_whole || first.log_evidence() > self.filter.log_evidence() + margin =>
            {
                self.filter = first;
                false
            }
            _ => true,
        }
    }

    fn take_step(&mut self, step: &InputStep) {
        match step {
            InputStep::Closed(closed) => {
                let found = self.find(&closed.closing, closed.effort);
                let expansion = self.propose(&closed.closing, found);
                self.adopt(&closed.closing, expansion);
            }
            &InputStep::Reanchored { board, occupied, t_us } => self.agree(board, occupied, t_us),
            InputStep::PutUp(fact, t_us) => self.stand(fact, *t_us),
        }
    }

    /// The steps of the match, with the evidence of each.
    pub(crate) fn input_log_mut(&mut self) -> &mut InputLog {
        &mut self.log
    }

    /// Whether every step of the match is known, so that it can be followed again.
    pub(crate) fn is_recorded(&self) -> bool {
        let trellis = &self.filter.trellis;
        trellis.first_open() == 0 && self.log.steps().len() == trellis.end()
    }

    /// Forgets the steps, which only the second pass needs.
    pub(crate) fn forget_steps(&mut self) {
        self.log = InputLog::default();
    }
}
