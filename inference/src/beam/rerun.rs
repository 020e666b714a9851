//! The same steps once more: the filter runs again over what it was given, led by what is known by then.

use super::{Beam, Story};
use crate::{
    beam::{
        input_log::{Recording, Step},
        rank_bias::Guide,
    },
    trellis::Backward,
};

impl Beam {
    /// Follows the match once more, led by what is known about it now: the
    /// probabilities of all choices. The new run is kept unless the first explains the readings better by more than this margin
    /// on the scale of logarithms. Says whether it is a new one.
    pub(crate) fn rerun(&mut self, later: &Backward, margin: f64) -> bool {
        self.retrace(Guide::of(&self.story.trellis, later));
        match self.aside.take() {
            Some(first) if first.is_likelier_than(&self.story, margin) => {
                self.story = first;
                false
            }
            _ => true,
        }
    }

    /// What was read and how likely it was, step by step.
    pub(crate) fn recording_mut(&mut self) -> &mut Recording {
        &mut self.recording
    }

    /// Whether every step of the match is known, so that it can be followed again.
    pub(crate) fn is_recorded(&self) -> bool {
        let trellis = &self.story.trellis;
        trellis.first_open() == 0 && self.recording.steps() == trellis.end()
    }

    /// Follows the whole match anew, led by `guide`. The story until now is put aside.
    fn retrace(&mut self, guide: Guide) {
        let again = Story::new(self.setting, self.width, &mut self.positions);
        self.aside = Some(std::mem::replace(&mut self.story, again));
        self.guide = Some(guide);
        for at in 0..self.recording.steps() {
            self.take_step(at);
        }
        self.guide = None;
    }

    /// Follows one step of the recording.
    fn take_step(&mut self, at: usize) {
        self.make_room();
        let known = self.recording.take_ways(at, &self.positions);
        // The beam changes while it explains what the recording holds.
        let mut recording = std::mem::take(&mut self.recording);
        match recording.step(at) {
            Some(Step::Closed(closed)) => {
                let closing = closed.closing();
                let found = self.find_beside(&closing, closed.breadth, known);
                let mut expansion = self.propose(&closing, found);
                let ways = std::mem::take(&mut expansion.ways);
                self.adopt(&closing, expansion);
                recording.keep_ways(at, ways, &self.positions);
            }
            Some(&Step::Reanchored { board, occupied, t_us }) => self.agree(board, occupied, t_us),
            Some(Step::PutUp(fact, t_us)) => self.stand(fact, *t_us),
            None => {}
        }
        self.recording = recording;
    }

    /// Forgets what only following the match again takes.
    pub(crate) fn forget_steps(&mut self) {
        self.recording = Recording::default();
    }
}
