//! Play that goes on from a position that was reinstated.
//!
//! A director asserts the position, and from when on hands put it up. Until it stands, the changes
//! of the squares are no plies. The position stands when the squares have shown it for a while, or
//! when play goes on there. So a dead square cannot stop the tracker.

use rules::{Bitboard, BoardId};

use crate::tracker::{Tracker, jump::Jump};
use crate::{sensing::board_input::Phase, tracker::reinstatements::Reinstatement};

/// Time for which the squares must show the position before it counts, microseconds: hands pass over squares.
/// Assumed: set by hand.
const SHOWN_US: u64 = 1_000_000;

impl Tracker {
    /// The position that is being set up on `board` at a time, by its index. A later order replaces
    /// the earlier ones.
    fn waiting(&self, board: BoardId, t_us: u64) -> Option<usize> {
        let begun = |reinstatement: &Reinstatement| {
            reinstatement.fact.board == board && reinstatement.fact.t_us <= t_us
        };
        self.reinstatements
            .iter()
            .rposition(begun)
            .filter(|&at| self.reinstatements[at].stood.is_none())
    }

    /// Whether hands set up a position on `board`, so that changes of its squares are no play.
    pub(super) fn is_being_reinstated(&self, board: BoardId) -> bool {
        self.waiting(board, self.now_us).is_some()
    }

    /// Compares the squares of `board` with the position, if one is being set up there.
    pub(super) fn look_at_reinstatement(&mut self, board: BoardId) {
        if let Some(at) = self.waiting(board, self.now_us) {
            self.compare(at, self.now_us);
        }
    }

    /// Compares the squares with a position that is being set up, as they are at a time.
    fn compare(&mut self, at: usize, t_us: u64) {
        let reinstatement = &mut self.reinstatements[at];
        let input = &self.inputs[reinstatement.fact.board.index()];
        reinstatement.was_stopped |= input.clock.running().is_none();
        let is_shown = reinstatement.fact.differing(input.segment.now).is_empty();
        reinstatement.shown_since = is_shown.then(|| reinstatement.shown_since.unwrap_or(t_us));
    }

    /// Time at which the position that `board` shows will count if no square changes, microseconds.
    fn due_us(&self, board: BoardId, t_us: u64) -> Option<u64> {
        let reinstatement = &self.reinstatements[self.waiting(board, t_us)?];
        Some(reinstatement.shown_since?.saturating_add(SHOWN_US))
    }

    /// Time at which a position that the squares show will count, microseconds since the trace began.
    pub(super) fn reinstatement_deadline_us(&self) -> Option<u64> {
        BoardId::ALL.into_iter().filter_map(|board| self.due_us(board, self.now_us)).min()
    }

    /// Completes every position that the squares have shown long enough before `until_us`, each at
    /// its own time.
    pub(super) fn stand_what_is_due(&mut self, until_us: u64) {
        // The squares are compared at the time of a fact, because no square may change after it.
        for at in 0..self.reinstatements.len() {
            let begins_us = self.reinstatements[at].fact.t_us;
            if begins_us > self.now_us && begins_us <= until_us {
                self.compare(at, begins_us);
            }
        }
        let due = BoardId::ALL
            .into_iter()
            .filter_map(|board| Some((self.due_us(board, until_us)?, board)));
        let mut due: Vec<(u64, BoardId)> = due.filter(|(at_us, _)| *at_us < until_us).collect();
        due.sort_unstable();
        for (at_us, board) in due {
            self.now_us = self.now_us.max(at_us + 1);
            self.stand(board);
        }
    }

    /// Play goes on at `board`: the position there stands, whatever the squares say.
    pub(super) fn stand_before_play(&mut self, board: BoardId) {
        if self.waiting(board, self.now_us).is_some_and(|at| self.reinstatements[at].was_stopped) {
            self.stand(board);
        }
    }

    /// The position stands: the match is followed from there.
    fn stand(&mut self, board: BoardId) {
        // A press before the order is explained first.
        self.explain_pending(board);
        let Some(at) = self.waiting(board, self.now_us) else { return };
        let reinstatement = &mut self.reinstatements[at];
        let differing = reinstatement.fact.differing(self.inputs[board.index()].segment.now);
        reinstatement.stood = Some(differing);
        reinstatement.shown_since = None;
        let fact = reinstatement.fact.clone();
        self.close_identity(board, self.now_us, Bitboard::EMPTY);
        let input = &mut self.inputs[board.index()];
        if input.phase == Phase::BeforeStart {
            input.phase = Phase::Stopped;
        }
        self.jump(Jump::Reinstated(fact, differing));
        self.make_room();
    }
}
