//! A match that begins anew: pieces put back to their first squares, clocks set to the full time.
//!
//! Children start over when somebody had the wrong colour or a clock ran the wrong way. What was tracked
//! until then belongs to no match: it is taken back, and the record starts anew.

use rules::BoardId;

use super::Tracker;
use crate::{
    anomaly::support::press_context::PressNotes, report::TrackerOutput,
    sensing::board_input::BoardInput,
};

impl Tracker {
    /// Called when a clock of `board` is started: begins the match anew if everything has been put back as
    /// it was before the first ply, on the other board too, and nobody plays there. Where the other board's pieces stand in the middle of a
    /// game whose clock is stopped, that game goes on.
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
        self.notes = PressNotes::default();
        self.hand_monitor.restart();
        self.disagreement = Default::default();
        self.unlagged = 0;
        self.inputs.iter_mut().for_each(BoardInput::restart);
        self.say(TrackerOutput::Restarted { t_us: self.now_us });
    }
}
