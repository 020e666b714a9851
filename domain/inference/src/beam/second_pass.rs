//! The second pass over a finished match, which explains the segments before surprises again.
//!
//! ```text
//! surprise(s) if log p(s) < SURPRISING
//! keep the first pass if log p(readings | first) > log p(readings | second) + MARGIN, or its work is more than MAX_WORK
//! ```
//!
//! `p(s)` is the probability of a segment, given all before. `p(readings | pass)` is the product
//! over segments of the evidence that survived the cut. Both are estimates, since hypotheses that
//! go on stand for others; hence the margin. The last `DOUBTED` segments of the board up to a
//! surprise are explained again.
//!
//! A press that one ply explains well is explained at once, without a search for alternatives. That
//! keeps pace with the match and is nearly always right. Where it is wrong, later segments fit
//! badly: a piece moves as it cannot, or stands where none should. At the end of the match such a
//! surprise is cheap to see, and the few segments before it are cheap to explain with everything
//! that is too expensive at every press.

use std::collections::BTreeSet;

use crate::beam::{
    Beam,
    filter::Filter,
    input_log::{InputLog, InputStep},
};

/// A segment is a surprise if the natural logarithm of its probability is below this: less likely
/// than a forgotten press, and about as likely as an illegal ply together with another rare event.
/// Assumed.
const SURPRISING: f64 = -16.0;
/// Number of segments of the board that are explained again, the surprise included. A piece that
/// stands wrongly mostly shows within some plies. Bound: on work.
const DOUBTED: usize = 8;
/// Maximum work of the second pass, nodes and transitions of its searches. A match whose second pass
/// takes more keeps the result of the first. Bound: on work, about 0.1 s. Measured: of 556 matches
/// with usual hands, the one that takes most takes 188,125.
const MAX_WORK: usize = 200_000;
/// The margin, as a natural logarithm. The readings right after a segment that is explained again
/// are explained there and in the segment that they belong to, so the second pass seems less likely
/// than it is. Assumed.
const MARGIN: f64 = 5.0;

impl Beam {
    /// Follows the match once more if there was a surprise in it and every step of it is known.
    /// Segments that led to surprises are explained at exhaustive effort.
    pub(crate) fn follow_again(&mut self) {
        let trellis = &self.filter.trellis;
        if trellis.first_open() == 0 && self.log.steps.len() == trellis.end() {
            let doubted = leading_to_surprises(&self.log.steps);
            doubted.iter().for_each(|&at| self.log.doubt(at));
            if !doubted.is_empty() {
                self.rerun(MARGIN, MAX_WORK);
            }
        }
        self.log = InputLog::default();
    }

    /// Follows the match once more, each step at the effort that the log has for it. The second run
    /// is kept unless the first makes the readings likelier by more than `margin`, on the scale of
    /// natural logarithms, or the second takes more than `most_work`, nodes and transitions.
    /// Returns whether the second run is kept.
    pub(crate) fn rerun(&mut self, margin: f64, most_work: usize) -> bool {
        let again = Filter::new(self.setting, &self.odd_set_ups, self.width, &mut self.positions);
        self.previous = Some(std::mem::replace(&mut self.filter, again));
        // The beam changes, and logs steps, while it explains the steps of the log.
        let log = std::mem::take(&mut self.log);
        let before = self.work;
        let is_whole = log.steps.iter().all(|step| {
            self.take_step(step);
            let bytes = self.memory_bytes() + log.memory_bytes();
            self.second_pass_bytes = self.second_pass_bytes.max(bytes);
            self.work - before <= most_work
        });
        self.log = log;
        // Natural logarithm of the probability of all readings in the paths that survived.
        let evidence = |filter: &Filter| filter.logs.iter().sum::<f64>();
        let is_kept =
            |first: &Filter| !is_whole || evidence(first) > evidence(&self.filter) + margin;
        match self.previous.take().filter(is_kept) {
            Some(first) => {
                self.filter = first;
                false
            }
            None => true,
        }
    }

    /// Takes a step of the log once more.
    fn take_step(&mut self, step: &InputStep) {
        match step {
            InputStep::Closed(step) => {
                let found = self.find(&step.closed, step.effort);
                let expansion = self.propose(&step.closed, found);
                self.adopt(step.closed.board, expansion);
            }
            &InputStep::Reanchored { board, occupied, t_us } => {
                self.reanchor(board, occupied, t_us);
            }
            InputStep::Reinstated(fact, occupied, t_us) => self.reinstate(fact, *occupied, *t_us),
        }
    }
}

/// The indices of the segments to explain again, ascending.
fn leading_to_surprises(steps: &[InputStep]) -> BTreeSet<usize> {
    let segment = |at: usize| match &steps[at] {
        InputStep::Closed(step) => Some((step.closed.board, step.log_evidence)),
        InputStep::Reanchored { .. } | InputStep::Reinstated(..) => None,
    };
    let mut doubted = BTreeSet::new();
    for at in 0..steps.len() {
        if let Some((board, log_evidence)) = segment(at)
            && log_evidence < SURPRISING
        {
            let of_board = |&before: &usize| segment(before).is_some_and(|(of, _)| of == board);
            doubted.extend((0..=at).rev().filter(of_board).take(DOUBTED));
        }
    }
    doubted
}
