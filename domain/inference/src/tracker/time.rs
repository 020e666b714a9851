//! Time that passes, whether a reading brings it or the caller's clock.
//!
//! Deadlines are handled one after the other, each at its own time. So outputs and their times
//! are the same whether a reading or the caller's clock brings the time.

use readings::Reading;
use rules::BoardId;

use super::{Tracker, leaps::TIME_MAX_US};

/// An effect of time alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The settling time of a press of this board is over.
    Press(BoardId),
    /// The clock of this board has lain long enough, or a hand has been near it for long enough.
    Clock(BoardId),
    /// A captured piece has been out of sight for too long.
    HiddenPiece,
}

impl Tracker {
    /// Time at which outputs may come without a reading, microseconds since the trace began: a press waits for a
    /// piece that may still be read, a position that is set up is about to count, a clock lies or a
    /// hand is near it, a captured piece is out of sight. None while nothing waits.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let due_us = self.next_due().map(|(due_us, _)| due_us);
        let deadlines = due_us.into_iter().chain(self.reinstatement_deadline_us());
        deadlines
            .min()
            .filter(|_| !self.finished && !self.is_holding())
            .map(|deadline_us| deadline_us.saturating_add(1))
    }

    /// Lets time pass to a reading, never back. A time hours ahead is [not believed at
    /// once](super::leaps): then the reading counts as made now.
    pub(super) fn pass_time_to_reading(&mut self, reading: &Reading) {
        let board = reading.board.filter(|board| self.setting.sensed[board.index()]);
        let judged = self.leaps.judge(self.now_us, reading.t_us, board);
        if let Some(board) = judged.refuted {
            self.clock_monitors[board.index()].leap(self.now_us);
        }
        self.pass_time_to(if judged.is_believed { reading.t_us } else { self.now_us });
    }

    /// Lets time pass to `t_us`, never back.
    pub(super) fn pass_time_to(&mut self, t_us: u64) {
        let t_us = t_us.min(TIME_MAX_US);
        self.do_what_is_due(t_us);
        self.now_us = self.now_us.max(t_us);
        self.change_delays();
    }

    /// Does what is due before `until_us`, each at its own time.
    pub(super) fn do_what_is_due(&mut self, until_us: u64) {
        while let Some((due_us, due)) = self.next_due().filter(|(due_us, _)| *due_us < until_us) {
            self.stand_what_is_due(due_us);
            self.now_us = self.now_us.max(due_us + 1);
            match due {
                Due::Press(board) => self.explain_pending(board),
                Due::Clock(board) => {
                    self.clock_monitors[board.index()].wait(self.now_us);
                    self.report_readings(board);
                }
                Due::HiddenPiece => self.report_hidden(),
            }
        }
        self.stand_what_is_due(until_us);
    }

    /// The first deadline, apart from positions that are set up, with its time, microseconds.
    fn next_due(&self) -> Option<(u64, Due)> {
        let press = |board: BoardId| {
            let due_us = self.inputs[board.index()].deadline_us()?;
            Some((due_us, Due::Press(board)))
        };
        let clock = |board: BoardId| {
            let due_us = self.clock_monitors[board.index()].deadline_us()?;
            Some((due_us, Due::Clock(board)))
        };
        let boards = BoardId::ALL.into_iter();
        let due = boards.flat_map(|board| [press(board), clock(board)]).flatten();
        let hidden = self.hand_monitor.deadline_us().map(|due_us| (due_us, Due::HiddenPiece));
        due.chain(hidden).min()
    }
}
