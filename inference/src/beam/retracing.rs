//! Following a match once more when it is over, led by what is known by then. That takes as many steps as the match had segments, and no
//! more.

use super::{Beam, Story};
use crate::{
    guide::Guide,
    replay::{Recording, Step},
    trellis::Backward,
};

/// The logarithm of how much likelier a story must make the readings to be clearly better than another:
/// either number is an estimate, since hypotheses that go on stand for others.
const CLEARLY_BETTER: f64 = 1.0;
/// The same where segments were [doubted](crate::doubt): what was read right after them is explained there and in the segment that it
/// belongs to, which makes the second story seem less likely than it is.
const BETTER_THAN_DOUBTED: f64 = 5.0;

impl Beam {
    /// Follows the match once more, led by what is known about it now: the
    /// probabilities of all choices. The new story is kept unless the
    /// first explains the readings clearly better. Says whether it is a new one.
    pub(crate) fn follow_again(&mut self, later: &Backward) -> bool {
        if !self.is_recorded() {
            return false;
        }
        let doubted = self.recording.doubt_what_led_to_surprises();
        let margin = if doubted { BETTER_THAN_DOUBTED } else { CLEARLY_BETTER };
        self.retrace(Guide::of(&self.story.trellis, later));
        match self.aside.take() {
            Some(first) if first.is_likelier_than(&self.story, margin) => {
                self.story = first;
                false
            }
            _ => true,
        }
    }

    /// Whether every step of the match is known, so that it can be followed again.
    fn is_recorded(&self) -> bool {
        let trellis = &self.story.trellis;
        trellis.first_open() == 0 && self.recording.steps() == trellis.end()
    }

    /// Follows the whole match anew, led by `guide`. The story until now is put aside.
    pub(super) fn retrace(&mut self, guide: Guide) {
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
