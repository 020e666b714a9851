//! The second run of the filter over the same steps, with biased ranks.
//!
//! ```text
//! keep the first run if log p(readings | first run) > log p(readings | second run) + margin
//! ```
//!
//! `p(readings | run)` is the product over segments of the evidence that survived the cut. Both are estimates, since
//! hypotheses that go on stand for others; hence the margin.

use super::{Beam, Filter};
use crate::{
    beam::{
        input_log::{InputLog, InputStep},
        rank_bias::RankBias,
    },
    trellis::Backward,
};

impl Beam {
    /// Follows the match once more, with ranks biased by the probabilities of all explanations, `later`. The second run
    /// is kept unless the first makes the readings likelier by more than `margin`, on the scale of natural logarithms.
    /// Returns whether the second run is kept.
    pub(crate) fn rerun(&mut self, later: &Backward, margin: f64) -> bool {
        self.retrace(RankBias::of(&self.filter.trellis, later));
        match self.previous.take() {
            Some(first) if first.is_likelier_than(&self.filter, margin) => {
                self.filter = first;
                false
            }
            _ => true,
        }
    }

    /// The steps of the match, with the evidence of each.
    pub(crate) fn input_log_mut(&mut self) -> &mut InputLog {
        &mut self.log
    }

    /// Whether every step of the match is known, so that it can be followed again.
    pub(crate) fn is_recorded(&self) -> bool {
        let trellis = &self.filter.trellis;
        trellis.first_open() == 0 && self.log.steps() == trellis.end()
    }

    /// Follows the whole match anew with biased ranks. The filter until now is put aside.
    fn retrace(&mut self, rank_bias: RankBias) {
        let again = Filter::new(self.setting, self.width, &mut self.positions);
        self.previous = Some(std::mem::replace(&mut self.filter, again));
        self.rank_bias = Some(rank_bias);
        for at in 0..self.log.steps() {
            self.take_step(at);
        }
        self.rank_bias = None;
    }

    /// Follows one step of the log.
    fn take_step(&mut self, at: usize) {
        // The beam changes while it explains the steps of the log.
        let log = std::mem::take(&mut self.log);
        match log.step(at) {
            Some(InputStep::Closed(closed)) => {
                let closing = &closed.closing;
                let found = self.find(closing, closed.effort);
                let expansion = self.propose(closing, found);
                self.adopt(closing, expansion);
            }
            Some(&InputStep::Reanchored { board, occupied, t_us }) => {
                self.agree(board, occupied, t_us)
            }
            Some(InputStep::PutUp(fact, t_us)) => self.stand(fact, *t_us),
            None => {}
        }
        self.log = log;
    }

    /// Forgets the steps, which only the second pass needs.
    pub(crate) fn forget_steps(&mut self) {
        self.log = InputLog::default();
    }
}
