//! A match that begins anew: the pieces stand on their first squares, and the clocks show the full time.
//!
//! Children start over when somebody had the wrong colour or a clock ran the wrong way. The plies until then
//! belong to no match: they are retracted, and the record starts anew.

use rules::BoardId;

use super::Tracker;
use crate::{
    anomaly::support::illegal_history::IllegalHistory, beam::set_ups::SetUp, report::TrackerOutput,
    sensing::board_input::BoardInput,
};

impl Tracker {
    /// Called when a clock of `board` is started. Begins the match anew if both boards stand as before the first
    /// ply and nobody plays on the other board. If the other board is in the middle of a stopped game, that game
    /// goes on.
    pub(super) fn restart_if_put_back(&mut self, board: BoardId) {
        let base_ms = i64::from(self.base_s) * 1_000;
        let put_back = self.inputs[board.index()].is_put_back(base_ms);
        let other_waits = self.inputs[board.other().index()].waits_set_up();
        if !put_back || !other_waits {
            return;
        }
        self.ledger.retract_all(self.now_us, &mut self.out);
        self.register.retract_all(self.now_us, &mut self.out);
        self.beam.restart(&self.trays);
        self.illegal_history = IllegalHistory::default();
        self.hand_monitor.restart();
        self.disagreement = Default::default();
        (self.unlagged, self.set_up) = (0, Some(SetUp::default()));
        self.inputs.iter_mut().for_each(BoardInput::restart);
        self.say(TrackerOutput::Restarted { t_us: self.now_us });
    }
}
