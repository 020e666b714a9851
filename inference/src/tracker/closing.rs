//! Presses explained: when what has been read is enough, and what follows once it is.

use rules::{Bitboard, BoardId, Color};

use super::Tracker;
use crate::{
    beam::expansion::Expansion,
    facts::About,
    observation::summary::Observation,
    params,
    proposal::closed_segment::{ClosedSegment, SearchEffort},
    report::TrackerOutput,
    sensing::{
        board_input::{BoardInput, Pending},
        tray_log::TrayLog,
    },
    tracker::evidence,
};

/// Segments taken into account; presses after that are no match any more and are passed over.
const MAX_SEGMENTS: usize = 8_192;
/// A settled explanation of at least this probability is accepted at once.
const CLEAN: f64 = 0.1 * params::PLY;
/// Otherwise, the part of the probability in which everything has settled must be at least this.
const SETTLED_SHARE: f64 = 0.5;
/// An explanation that makes the readings less likely than this is not accepted before all that may still be
/// settling has been seen: a better one may need it.
const POOR: f64 = 5e-5 * params::PLY;
/// A square that has been occupied for less than this, microseconds, may be one a piece is dragged over.
const CALM_US: u64 = 80_000;
/// Layers after which it is asked anew whether king and queen were set up swapped.
const SET_UP_EVERY: usize = 8;

/// How a segment ends.
#[derive(Clone, Copy, Debug)]
struct End {
    board: BoardId,
    /// Who pressed; none when the clock was stopped.
    presser: Option<Color>,
    t_us: u64,
    /// How many of the segment's events had been read by then.
    count: usize,
}

impl End {
    fn by(board: BoardId, pending: Pending) -> End {
        let Pending { presser, t_us, count, .. } = pending;
        End { board, presser: Some(presser), t_us, count }
    }
}

impl Tracker {
    /// Explains presses whose pieces have had time to settle before `until_us`, each at its own deadline: what is said, and when, is
    /// the same whether a reading or the caller's clock brings the time.
    pub(super) fn explain_overdue(&mut self, until_us: u64) {
        let mut overdue: Vec<(u64, BoardId)> = BoardId::ALL
            .into_iter()
            .filter_map(|board| Some((self.inputs[board.index()].deadline_us()?, board)))
            .filter(|&(deadline_us, _)| deadline_us < until_us)
            .collect();
        overdue.sort_unstable();
        for (deadline_us, board) in overdue {
            self.stand_what_is_due(deadline_us);
            self.now_us = self.now_us.max(deadline_us + 1);
            self.explain_pending(board);
        }
        self.stand_what_is_due(until_us);
    }

    /// Whether no press of the other board waits that came earlier: presses are explained in the order in which they came, so
    /// that nobody is taken to hold what a partner took later.
    fn is_next(&self, board: BoardId, t_us: u64) -> bool {
        let other = self.inputs[board.other().index()].pending;
        other.is_none_or(|other| other.t_us >= t_us)
    }

    /// Explains a board's pending press, if there is one, with what had been read when it came; an earlier one of the other
    /// board before it.
    pub(super) fn explain_pending(&mut self, board: BoardId) {
        if let Some(Pending { t_us, .. }) = self.inputs[board.index()].pending
            && !self.is_next(board, t_us)
        {
            self.explain_pending(board.other());
        }
        if let Some(pending) = self.inputs[board.index()].pending {
            self.explain(End::by(board, pending));
        }
    }

    /// Explains what happened since the last press of a board whose clock was stopped.
    pub(super) fn close_stopped(&mut self, board: BoardId) {
        if !self.is_next(board, self.now_us) {
            self.explain_pending(board.other());
        }
        let segment = &self.inputs[board.index()].segment;
        if segment.touched().any() {
            let count = segment.events().len();
            self.explain(End { board, presser: None, t_us: self.now_us, count });
        }
    }

    /// Whether the last piece has been standing for a moment, and was not only passing a square.
    pub(super) fn is_calm(&self, board: BoardId) -> bool {
        let last = self.inputs[board.index()].segment.events().last();
        last.is_none_or(|event| !event.occupied || event.t_us + CALM_US <= self.now_us)
    }

    /// Explains a press if what has been read so far explains it well; otherwise it stays pending.
    pub(super) fn try_close(&mut self, board: BoardId, pending: Pending) {
        if self.is_next(board, pending.t_us)
            && let Some(expansion) = self.good_enough(board, pending)
        {
            self.commit(End::by(board, pending), expansion);
        }
    }

    /// What follows from a press, if nothing that may still be read is needed to explain it.
    fn good_enough(&mut self, board: BoardId, pending: Pending) -> Option<Expansion> {
        let end = End::by(board, pending);
        let facts = evidence::about(&self.facts, self.beam.trellis(), board, end.t_us);
        let closing = &closing(&self.inputs, &self.trays, facts, end);
        let beam = &mut self.beam;
        if pending.tries == 0 {
            let quick = beam.find(closing, SearchEffort::Settled);
            if beam.clean(closing, &quick) >= CLEAN {
                return Some(beam.propose(closing, quick));
            }
            if closing.segment.touched().is_empty() {
                let quick = beam.propose(closing, quick);
                if quick.settled < SETTLED_SHARE * quick.evidence {
                    // Whatever else is looked for has not settled either.
                    return None;
                }
            }
        }
        let full = beam.find(closing, SearchEffort::Full);
        if beam.clean(closing, &full) < POOR {
            return None;
        }
        let full = beam.propose(closing, full);
        (full.settled >= SETTLED_SHARE * full.evidence).then_some(full)
    }

    /// Explains a segment with what has been read, whatever that is worth.
    fn explain(&mut self, end: End) {
        let facts = evidence::about(&self.facts, self.beam.trellis(), end.board, end.t_us);
        let closing = &closing(&self.inputs, &self.trays, facts, end);
        let found = self.beam.find(closing, SearchEffort::Full);
        let expansion = self.beam.propose(closing, found);
        self.commit(end, expansion);
    }

    fn commit(&mut self, end: End, expansion: Expansion) {
        let End { board, presser, t_us, count } = end;
        let layer = self.beam.trellis().end();
        if layer >= MAX_SEGMENTS {
            let input = &mut self.inputs[board.index()];
            let arrived = Observation::arrived(&input.segment, count);
            input.close_segment(presser, count, arrived);
            return;
        }
        let facts = evidence::about(&self.facts, self.beam.trellis(), board, t_us);
        let closing = closing(&self.inputs, &self.trays, facts, end);
        if let Some(known) = self.beam.likeliest(board) {
            self.hand_monitor.close(layer, board, presser, t_us, known.position.clone());
        }
        let new_arrivals = closing.identity.new_arrivals();
        self.beam.commit(&closing, expansion);
        self.notes.close(layer, board, presser, t_us);
        self.trays.forget_until(t_us);
        self.close_identity(board, t_us, new_arrivals);
        let input = &mut self.inputs[board.index()];
        let arrived = Observation::arrived(&input.segment, count);
        input.close_segment(presser, count, arrived);
        let read = input.segment.start();
        let clocks_ms = input.clocks_ms(t_us);
        self.ledger.close(layer, board, presser, clocks_ms);
        self.publish(self.unlagged, None);
        let different = self.beam.different(board, read);
        self.clock_monitors[board.index()].differ(self.now_us, different, read);
        if (layer + 1).is_multiple_of(SET_UP_EVERY) {
            self.report_set_up();
        }
        self.report_hidden();
        if self.disagreement[board.index()].note(different) {
            self.reanchor(board, read, different.count());
        }
        self.make_room();
        self.try_waiting(board.other());
    }

    /// Explains a press that had to wait for one of the other board, if it is explained well by now.
    fn try_waiting(&mut self, board: BoardId) {
        if let Some(pending) = self.inputs[board.index()].pending
            && self.is_calm(board)
        {
            self.try_close(board, pending);
        }
    }

    pub(super) fn reanchor(&mut self, board: BoardId, read: rules::Bitboard, squares: usize) {
        self.beam.reanchor(board, read, self.now_us);
        self.disagreement[board.index()].clear();
        self.say(TrackerOutput::Reanchored {
            board,
            t_us: self.now_us,
            squares: u32::try_from(squares).unwrap_or(64),
        });
    }

    /// Takes what the squares said about pieces as known, and learns the levels of pieces that have come to
    /// stand somewhere and are nearly certain.
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
        if self.beam.trellis().is_full() {
            let first = self.beam.trellis().first_open();
            self.publish(first, None);
            while self.beam.trellis().is_full() {
                self.beam.trellis_mut().close_first();
            }
            self.unlagged = self.unlagged.max(self.beam.trellis().first_open());
        }
    }
}

fn closing<'a>(
    inputs: &'a [BoardInput; 2],
    trays: &TrayLog,
    facts: Vec<About<'a>>,
    End { board, presser, t_us, count }: End,
) -> ClosedSegment<'a> {
    ClosedSegment {
        board,
        presser,
        t_us,
        segment: &inputs[board.index()].segment,
        count,
        recent: inputs[board.index()].recent,
        timing: inputs[board.index()].timing(t_us),
        partner_touched: inputs[board.other().index()].touched(),
        tray_events: trays.until(t_us),
        identity: inputs[board.index()].identity.identity(t_us),
        facts,
    }
}
