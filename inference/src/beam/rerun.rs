//! The same steps once more: the filter runs again over what it was given, led by what is known by then.

use super::{Beam, Filter};
use crate::{
    beam::{
        input_log::{InputLog, InputStep},
        rank_bias::RankBias,
    },
    trellis::Backward,
};

impl Beam {
    /// Follows the match once more, led by what is known about it now: the
    /// probabilities of all choices. The new run is kept unless the first explains the readings better by more than this margin
    /// on the scale of logarithms. Says whether it is a new one.
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

    /// What was read and how likely it was, step by step.
    pub(crate) fn input_log_mut(&mut self) -> &mut InputLog {
        &mut self.log
    }

    /// Whether every step of the match is known, so that it can be followed again.
    pub(crate) fn is_recorded(&self) -> bool {
        let trellis = &self.filter.trellis;
        trellis.first_open() == 0 && self.log.steps() == trellis.end()
    }

    /// Follows the whole match anew, led by `guide`. The path until now is put aside.
    fn retrace(&mut self, rank_bias: RankBias) {
        let again = Filter::new(self.setting, self.width, &mut self.positions);
        self.previous = Some(std::mem::replace(&mut self.filter, again));
        self.rank_bias = Some(rank_bias);
        for at in 0..self.log.steps() {
            self.take_step(at);
        }
        self.rank_bias = None;
    }

    /// Follows one step of the recording.
    fn take_step(&mut self, at: usize) {
        self.make_room();
        let known = self.log.take_transitions(at, &self.positions);
        // The beam changes while it explains what the recording holds.
        let mut log = std::mem::take(&mut self.log);
        match log.step(at) {
            Some(InputStep::Closed(closed)) => {
                let closing = closed.closing();
                let found = self.find_beside(&closing, closed.effort, known);
                let mut expansion = self.propose(&closing, found);
                let transitions = std::mem::take(&mut expansion.transitions);
                self.adopt(&closing, expansion);
                log.keep_transitions(at, transitions, &self.positions);
            }
            Some(&InputStep::Reanchored { board, occupied, t_us }) => {
                self.agree(board, occupied, t_us)
            }
            Some(InputStep::PutUp(fact, t_us)) => self.stand(fact, *t_us),
            None => {}
        }
        self.log = log;
    }

    /// Forgets what only following the match again takes.
    pub(crate) fn forget_steps(&mut self) {
        self.log = InputLog::default();
    }
}
