//! Readings of boards and clocks that lie turned on the table, put right before anything else sees them.
//!
//! While the first plies leave it open how a board or its clock lies, the readings of the table
//! wait. So nothing is published that would have to be taken back. Mostly the first press settles it.

use readings::Reading;
use rules::BoardId;

use super::Tracker;
use crate::{
    anomaly::{detectors::turned, findings::finding::Finding},
    sensing::placing::Lie,
};

/// Most readings that wait. Beyond it the likeliest is settled. Bound: on memory and delay.
const MAX_HELD: usize = 4_096;

impl Tracker {
    /// Whether readings wait until it is settled how boards and clocks lie.
    pub(super) fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes a reading, or lets it wait.
    pub(super) fn take_or_hold(&mut self, reading: &Reading) {
        let board = reading.board.filter(|board| self.setting.sensed[board.index()]);
        if let Some(board) = board {
            self.placings[board.index()].read(reading.t_us, &reading.kind);
        }
        let is_doubted = self.placings.iter().any(|placing| placing.is_doubted());
        if !is_doubted && !self.is_holding() {
            self.settle_lies();
            self.take(reading);
            return;
        }
        self.held.push_back(reading.clone());
        if !is_doubted || self.held.len() >= MAX_HELD {
            self.release();
        }
    }

    /// Settles what is still in doubt, and takes the readings that wait.
    pub(super) fn release(&mut self) {
        for placing in &mut self.placings {
            if placing.is_doubted() {
                placing.settle();
            }
        }
        self.settle_lies();
        while let Some(reading) = self.held.pop_front() {
            self.take(&reading);
        }
        self.report_lies();
    }

    /// Takes a reading as it would be if board and clock lay right.
    fn take(&mut self, reading: &Reading) {
        let lie = reading.board.map_or(Lie::default(), |board| self.lies[board.index()]);
        if lie == Lie::default() {
            self.take_right(reading);
        } else {
            let kind = lie.put_right(&reading.kind);
            self.take_right(&Reading { kind, ..reading.clone() });
        }
        self.report_lies();
    }

    /// Puts right what was read of boards before it was settled how they lie.
    fn settle_lies(&mut self) {
        for board in BoardId::ALL {
            let at = board.index();
            let Some((lie, _)) = self.placings[at].settled() else { continue };
            if lie != self.lies[at] {
                self.lies[at] = lie;
                self.inputs[at].put_right(lie);
                self.clock_monitors[at].put_right(lie);
                self.hand_monitor.lies(board, lie);
            }
        }
    }

    /// Reports how boards and clocks lie, once play has begun there.
    fn report_lies(&mut self) {
        for board in BoardId::ALL {
            let started_us = self.clock_monitors[board.index()].started_us;
            if let (Some(t_us), Some((lie, p))) =
                (started_us, self.placings[board.index()].settled())
                && lie != Lie::default()
                && !std::mem::replace(&mut self.lies_reported[board.index()], true)
            {
                let found: Vec<Finding> = turned::turned(board, t_us, lie, p);
                self.report(board, found);
            }
        }
    }
}
