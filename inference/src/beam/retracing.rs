//! Following a match once more when it is over: led by what is known by then, and in doubt of single plies.

use super::{Beam, Story};
use crate::{
    guide::Guide,
    replay::{Recording, Step},
    suspects::{self, Suspect},
    trellis::Backward,
};

/// The logarithm of how much likelier a story must make the readings to be clearly better than another:
/// either number is an estimate, since hypotheses that go on stand for others.
const CLEARLY_BETTER: f64 = 1.0;
/// The same where segments were [doubted](crate::doubt): what was read right after them is explained there and in the segment that it
/// belongs to, which makes the second story seem less likely than it is.
const BETTER_THAN_DOUBTED: f64 = 5.0;
/// The same for one that is found by doubting a ply: of many that are tried, one will seem better by chance.
const BETTER_OF_MANY: f64 = 3.0;
/// A branch is given up once it makes the readings so much less likely than the story it left, logarithm: what a wrong type or a wrong
/// place costs later is seldom more.
const HOPELESS: f64 = -20.0;
/// So is one that has made the last so many segments as likely as the story it left: the two have met again.
const MET_AGAIN: usize = 10;
/// Two logarithms that differ by no more than this are of segments explained alike.
const ALIKE: f64 = 0.02;
/// Plies of a match that are doubted, at most.
const MAX_DOUBTED: usize = 24;

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

    /// Looks for a better story where the one that was followed [explains the readings badly](suspects): each ply that may be
    /// to blame, but for those in `doubted`, is doubted in turn, and the match followed from there in that doubt. Where that explains the
    /// readings clearly better, the whole match is followed once more in the same doubt. `later` are the probabilities of all choices.
    /// Says whether the story is a new one, which may hold other suspects; not for ever, since no more than [`MAX_DOUBTED`] are doubted.
    pub(crate) fn reconsider(&mut self, later: &Backward, doubted: &mut Vec<Suspect>) -> bool {
        if !self.is_recorded() {
            return false;
        }
        let suspects = suspects::suspects(&self.story.trellis, later, &self.story.logs);
        let guide = Guide::of(&self.story.trellis, later);
        for suspect in suspects {
            if doubted.len() == MAX_DOUBTED || self.is_crowded() {
                return false;
            }
            if doubted.contains(&suspect) {
                continue;
            }
            doubted.push(suspect);
            let guide = guide.in_doubt_of(suspect);
            if !self.is_better_without(suspect, &guide) {
                continue;
            }
            self.retrace(guide);
            match self.aside.take() {
                Some(before) if !self.story.is_likelier_than(&before, BETTER_OF_MANY) => {
                    self.story = before;
                }
                _ => return true,
            }
        }
        false
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

    /// Whether the readings are clearly likelier if the match is followed from a suspect on in doubt of it.
    pub(super) fn is_better_without(&mut self, suspect: Suspect, guide: &Guide) -> bool {
        let Some(branch) = self.story.branch(suspect.layer) else { return false };
        let first = branch.trellis.end();
        self.aside = Some(std::mem::replace(&mut self.story, branch));
        self.guide = Some(guide.clone());
        let (mut gained, mut alike) = (0.0, 0);
        for at in first..self.recording.steps() {
            self.take_step(at);
            let left = self.aside.as_ref().and_then(|left| left.logs.get(at));
            let (Some(left), Some(log)) = (left, self.story.logs.last()) else { break };
            let gain = log - left;
            gained += gain;
            alike = if gain.abs() <= ALIKE { alike + 1 } else { 0 };
            if gained < HOPELESS || at > suspect.layer && alike >= MET_AGAIN {
                break;
            }
        }
        self.guide = None;
        if let Some(left) = self.aside.take() {
            self.story = left;
        }
        gained > BETTER_OF_MANY
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
            None => {}
        }
        self.recording = recording;
    }

    /// Forgets what only following the match again takes.
    pub(crate) fn forget_steps(&mut self) {
        self.recording = Recording::default();
        self.story.forget_marks();
    }
}
