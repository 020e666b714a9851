//! Play that goes on from a position that was put up again.
//!
//! A director asserts the position, and from when on hands put it up. Until it stands, the changes of the squares
//! are no plies. The position stands when the squares have shown it for a while, or when play goes on there. So
//! a dead square cannot stop the tracker.

use rules::{Bitboard, BoardId};

use super::Tracker;
use crate::{report::TrackerOutput, sensing::board_input::Phase};

impl Tracker {
    /// Whether hands put up a position on `board`, so that changes of its squares are no play.
    pub(super) fn is_being_put_up(&self, board: BoardId) -> bool {
        self.put_ups.waiting(board, self.now_us).is_some()
    }

    /// Compares the squares of `board` with the position, if one is being put up there.
    pub(super) fn look_at_put_up(&mut self, board: BoardId) {
        let now_us = self.now_us;
        let input = &self.inputs[board.index()];
        let (read, runs) = (input.segment.now(), input.clock.running().is_some());
        let Some(put_up) = self.put_ups.waiting_mut(board, now_us) else { return };
        put_up.was_stopped |= !runs;
        let is_shown = put_up.fact.differing(read).is_empty();
        put_up.shown_since = is_shown.then(|| put_up.shown_since.unwrap_or(now_us));
    }

    /// When a position that the squares show will stand, microseconds since the trace began.
    pub(super) fn put_up_deadline_us(&self) -> Option<u64> {
        let due =
            BoardId::ALL.into_iter().filter_map(|board| self.put_ups.due_us(board, self.now_us));
        due.min()
    }

    /// Lets every position stand that the squares have shown long enough before `until_us`, each at its own time.
    pub(super) fn stand_what_is_due(&mut self, until_us: u64) {
        // A position that was ordered meanwhile may stand already.
        BoardId::ALL.into_iter().for_each(|board| self.begin_put_up(board, until_us));
        let due = BoardId::ALL
            .into_iter()
            .filter_map(|board| Some((self.put_ups.due_us(board, until_us)?, board)));
        let mut due: Vec<(u64, BoardId)> = due.filter(|(at_us, _)| *at_us < until_us).collect();
        due.sort_unstable();
        for (at_us, board) in due {
            self.now_us = self.now_us.max(at_us + 1);
            self.stand(board);
        }
    }

    /// Compares the squares at the time of a fact, because no square may change after it.
    fn begin_put_up(&mut self, board: BoardId, until_us: u64) {
        let index = board.index();
        let input = &self.inputs[index];
        let (read, runs) = (input.segment.now(), input.clock.running().is_some());
        let now_us = self.now_us;
        let begins = self.put_ups.0.iter_mut().filter(|put_up| {
            let begins_us = put_up.fact.t_us;
            put_up.fact.board == board && begins_us > now_us && begins_us <= until_us
        });
        for put_up in begins {
            put_up.was_stopped |= !runs;
            let is_shown = put_up.fact.differing(read).is_empty();
            put_up.shown_since = is_shown.then_some(put_up.fact.t_us);
        }
    }

    /// Play goes on at `board`: the position there stands, whatever the squares say.
    pub(super) fn stand_before_play(&mut self, board: BoardId) {
        if self.put_ups.waiting(board, self.now_us).is_some_and(|put_up| put_up.was_stopped) {
            self.stand(board);
        }
    }

    /// The position stands: the match is followed from there.
    fn stand(&mut self, board: BoardId) {
        // A press before the order is explained first.
        self.explain_pending(board);
        let read = self.inputs[board.index()].segment.now();
        let Some(put_up) = self.put_ups.waiting_mut(board, self.now_us) else { return };
        let differing = put_up.fact.differing(read);
        put_up.stood = Some(differing);
        put_up.shown_since = None;
        let fact = put_up.fact.clone();
        self.close_identity(board, self.now_us, Bitboard::EMPTY);
        let input = &mut self.inputs[board.index()];
        input.segment.restart();
        input.recent = [Bitboard::EMPTY; 2];
        if input.phase == Phase::BeforeStart {
            input.phase = Phase::Stopped;
        }
        self.disagreement[board.index()].clear();
        self.beam.put_up(&fact, self.now_us);
        self.hand_monitor.put_right(board);
        self.publish(self.unlagged, None);
        let of_us = fact.t_us;
        self.say(TrackerOutput::PutUp { board, of_us, t_us: self.now_us, differing });
        self.make_room();
    }
}
