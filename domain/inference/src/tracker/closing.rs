//! ```text
//! accept at the first try:  clean(quick search) >= CLEAN
//! accept after full search: clean >= POOR  and  settled / evidence >= SETTLED_SHARE
//! explain in any case:      when the settling time after the press is over
//! clean = Σ over hypotheses h of p(h) · max over settled transitions t of h of w(t)
//! ```
//!
//! Closing of a segment: the conditions under which the readings suffice to explain its press, and the steps after that.
//!
//! A transition is settled if every piece of its plies was read on its square. `w(t)` is its weight
//! with every ply counted as an average one; a transition without a ply counts as one average ply
//! too. `evidence` is the mass of all transitions, and `settled` the mass of the settled ones.

use rules::{Bitboard, BoardId, Color};

use super::{Tracker, jump::Jump};
use crate::{
    answers::published_plies::SegmentEnd,
    beam::expansion::Expansion,
    observation::summary::Observation,
    params,
    proposal::closed_segment::{ClosedSegment, SearchEffort},
    report::Stage,
    sensing::board_input::Pending,
    state::reanchor,
    tracker::evidence,
};

/// Maximum number of segments of a match; later presses are ignored, because no match has so many. Bound: on memory.
const MAX_SEGMENTS: usize = 8_192;
/// A settled explanation of at least this likelihood is accepted at once. Assumed: a tenth of an average ply.
const CLEAN: f64 = 0.1 * params::PLY;
/// Otherwise settled explanations must have at least this part of the mass, 0 to 1. Assumed: set by hand.
const SETTLED_SHARE: f64 = 0.5;
/// If the readings are less likely than this, the press waits for the end of the settling time: a better
/// explanation may need a square that has not settled. Assumed: set by hand.
const POOR: f64 = 5e-5 * params::PLY;
/// A piece that is dragged over a square occupies it for less than this, microseconds. Assumed: set by hand.
const CALM_US: u64 = 80_000;
/// Number of layers after which the probability of a swapped king and queen is reported again. Bound: on work.
const SET_UP_EVERY: usize = 8;

impl Tracker {
    /// Whether no earlier press of the other board waits. Presses are explained in the order in
    /// which they came: otherwise a player could seem to hold a piece that the partner captures
    /// later.
    fn is_next(&self, board: BoardId, t_us: u64) -> bool {
        let other = self.inputs[board.other().index()].pending;
        other.is_none_or(|other| other.t_us >= t_us)
    }

    /// Explains a board's pending press, if there is one, with the events before it. An earlier press of the
    /// other board is explained first.
    pub(super) fn explain_pending(&mut self, board: BoardId) {
        if let Some(Pending { t_us, .. }) = self.inputs[board.index()].pending
            && !self.is_next(board, t_us)
        {
            self.explain_pending(board.other());
        }
        if let Some(pending) = self.inputs[board.index()].pending {
            let Pending { presser, t_us, count, .. } = pending;
            self.explain(self.closed_segment(board, Some(presser), t_us, count));
        }
    }

    /// Explains the events since the last press of a board whose clock was stopped.
    pub(super) fn close_stopped(&mut self, board: BoardId) {
        if !self.is_next(board, self.now_us) {
            self.explain_pending(board.other());
        }
        let segment = &self.inputs[board.index()].segment;
        if segment.touched().any() || self.may_be_claimed(board) {
            let count = segment.events.len();
            self.explain(self.closed_segment(board, None, self.now_us, count));
        }
    }

    /// Whether a stop of the clock without any change tells something: a king may have been taken by
    /// the last press.
    fn may_be_claimed(&self, board: BoardId) -> bool {
        let trellis = &self.beam.filter.trellis;
        let mut layers =
            (trellis.first_open()..trellis.end()).rev().filter_map(|at| trellis.layer(at));
        let last = layers.find(|layer| layer.board == board);
        last.is_some_and(|layer| layer.presser.is_some()) && self.beam.is_king_taken(board)
    }

    /// Whether the last piece stands for a moment already, and was not only dragged over the square.
    pub(super) fn is_calm(&self, board: BoardId) -> bool {
        let last = self.inputs[board.index()].segment.events.last();
        last.is_none_or(|event| !event.occupied || event.t_us + CALM_US <= self.now_us)
    }

    /// Explains a press if the events so far explain it well. Otherwise it stays pending.
    pub(super) fn try_close(&mut self, board: BoardId, pending: Pending) {
        if self.is_next(board, pending.t_us) {
            let Pending { presser, t_us, count, tries } = pending;
            let closed = self.closed_segment(board, Some(presser), t_us, count);
            if let Some(expansion) = self.good_enough(&closed, tries) {
                self.commit(closed, expansion);
            }
        }
    }

    /// The hypotheses after a press, if no later event is needed to explain it.
    fn good_enough(&mut self, closed: &ClosedSegment, tries: u8) -> Option<Expansion> {
        let beam = &mut self.beam;
        if tries == 0 {
            let quick = beam.find(closed, SearchEffort::Settled);
            if beam.clean(closed, &quick) >= CLEAN {
                return Some(beam.propose(closed, quick));
            }
            if closed.segment.touched().is_empty() {
                let quick = beam.propose(closed, quick);
                if quick.settled < SETTLED_SHARE * quick.evidence {
                    // A full search adds only explanations that have not settled.
                    return None;
                }
            }
        }
        let full = beam.find(closed, SearchEffort::Full);
        if beam.clean(closed, &full) < POOR {
            return None;
        }
        let full = beam.propose(closed, full);
        (full.settled >= SETTLED_SHARE * full.evidence).then_some(full)
    }

    /// A segment that ends at `t_us` with its first `count` events. `presser` is none when the
    /// clock was stopped.
    fn closed_segment(
        &self,
        board: BoardId,
        presser: Option<Color>,
        t_us: u64,
        count: usize,
    ) -> ClosedSegment {
        let input = &self.inputs[board.index()];
        ClosedSegment {
            board,
            supply: self.setting.supply,
            presser,
            t_us,
            segment: input.segment.clone(),
            count,
            recent: input.recent,
            left: input.left,
            timing: input.timing(t_us),
            partner_touched: self.inputs[board.other().index()].touched(),
            tray_events: self.trays.until(t_us),
            identity: input.identity.identity(t_us),
            facts: evidence::about(&self.facts, &self.beam.filter.trellis, board, t_us),
        }
    }

    /// Explains a segment with the events so far, however unlikely they are.
    fn explain(&mut self, closed: ClosedSegment) {
        let found = self.beam.find(&closed, SearchEffort::Full);
        let expansion = self.beam.propose(&closed, found);
        self.commit(closed, expansion);
    }

    fn commit(&mut self, closed: ClosedSegment, expansion: Expansion) {
        let ClosedSegment { board, presser, t_us, count, .. } = closed;
        let layer = self.beam.filter.trellis.end();
        let segment = &self.inputs[board.index()].segment;
        let changed = (Observation::left(segment, count), Observation::arrived(segment, count));
        if layer >= MAX_SEGMENTS {
            self.inputs[board.index()].close_segment(presser, count, changed);
            return;
        }
        if let Some(known) = self.beam.likeliest(board) {
            self.hand_monitor.close(layer, &closed, known.position.clone());
        }
        let arrivals = closed.identity.as_ref().map(|identity| identity.new_arrivals());
        self.beam.commit(closed, expansion);
        self.trays.forget_until(t_us);
        self.close_identity(board, t_us, arrivals.unwrap_or_default());
        let input = &mut self.inputs[board.index()];
        input.close_segment(presser, count, changed);
        let read = input.segment.start;
        let clocks_ms = input.clock.left_ms(t_us);
        self.published.close(layer, SegmentEnd { press: Some((board, presser)), clocks_ms });
        // When another set-up becomes the likeliest, all answers change: what seemed illegal until
        // then may be legal, and the other way round.
        let is_followed_again = self.beam.reconsider_last();
        let set_up = self.beam.filter.likeliest_set_up();
        let is_other = set_up != self.set_up || is_followed_again;
        self.set_up = set_up;
        if is_other {
            self.report_set_up(Stage::Live);
        }
        self.publish(if is_other { 0 } else { self.unlagged });
        let different = self.beam.different(board, read);
        if (layer + 1).is_multiple_of(SET_UP_EVERY) {
            self.report_set_up(Stage::Live);
        }
        self.report_hidden();
        if reanchor::beyond_explanation(&mut self.disagreement[board.index()], different) {
            self.jump(Jump::Reanchored(board, read, different.count() as u32));
        }
        self.make_room();
        // A press of the other board may have had to wait for this one.
        let other = board.other();
        if let Some(pending) = self.inputs[other.index()].pending
            && self.is_calm(other)
        {
            self.try_close(other, pending);
        }
    }

    /// Closes the identity readings until `t_us`, and learns the levels of new arrivals whose piece is nearly
    /// certain.
    pub(super) fn close_identity(&mut self, board: BoardId, t_us: u64, new_arrivals: Bitboard) {
        let identity = &mut self.inputs[board.index()].identity;
        identity.close(t_us);
        for square in new_arrivals {
            if let Some(piece) = self.beam.certain_piece(board, square) {
                identity.learn(square, piece);
            }
        }
    }

    /// Closes the oldest layers for good when there are too many.
    pub(super) fn make_room(&mut self) {
        while let Some(until) = self.beam.filter.trellis.full_until() {
            self.publish_last(until);
            self.beam.close_until(until);
            self.hand_monitor.forget_before(until);
            self.unlagged = self.unlagged.max(until);
        }
    }
}
