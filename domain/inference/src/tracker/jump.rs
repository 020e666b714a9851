//! Every jump of the belief: changes of the hypotheses that no ply explains.
//!
//! Much beside the beam rests on what it believed: hands are judged by positions, tray events wait
//! for captures, clocks remember when play began. So every jump goes through [`Tracker::jump`],
//! which has the list of all that must know of it.

use rules::{Bitboard, BoardId};

use super::Tracker;
use crate::{
    anomaly::{
        monitors::clock::ClockMonitor,
        segments::{illegal_history::IllegalHistory, supply_history::SupplyHistory},
    },
    beam::set_ups::SetUp,
    facts::StandsFact,
    report::TrackerOutput,
    sensing::board_input::BoardInput,
};

/// A change of the hypotheses without a ply.
#[derive(Clone, Debug)]
pub(super) enum Jump {
    /// A director had this position put up again. Squares that read otherwise are named.
    Reinstated(StandsFact, Bitboard),
    /// No sequence of plies explains the occupied squares of this board. So many squares differed.
    Reanchored(BoardId, Bitboard, u32),
    /// The match begins again from the set-up position.
    NewStart,
}

impl Tracker {
    /// Changes the hypotheses, and everything beside the beam that rests on them.
    pub(super) fn jump(&mut self, jump: Jump) {
        let t_us = self.now_us;
        match jump {
            Jump::Reinstated(fact, differing) => {
                let (board, of_us) = (fact.board, fact.t_us);
                self.inputs[board.index()].segment.restart();
                // What went into and out of the trays until now was no play.
                self.trays.forget_until(t_us);
                self.beam.reinstate(&fact, self.trays.occupied, t_us);
                self.put_right(board);
                self.publish(self.unlagged);
                self.out.push_back(TrackerOutput::PutUp { board, of_us, t_us, differing });
            }
            Jump::Reanchored(board, read, squares) => {
                self.beam.reanchor(board, read, t_us);
                self.put_right(board);
                self.out.push_back(TrackerOutput::Reanchored { board, t_us, squares });
            }
            Jump::NewStart => {
                self.published.retract_all(t_us, &mut self.out);
                self.register.retract_all(t_us, &mut self.out);
                self.beam.restart();
                self.trays.forget_until(t_us);
                self.inputs.iter_mut().for_each(BoardInput::restart);
                self.clock_monitors.iter_mut().for_each(ClockMonitor::restart);
                self.hand_monitor.restart();
                self.illegal_history = IllegalHistory::default();
                self.supply_history = SupplyHistory::default();
                self.disagreement = [[0; 64]; 2];
                (self.unlagged, self.set_up) = (0, Some(SetUp::default()));
                self.out.push_back(TrackerOutput::Restarted { t_us });
            }
        }
    }

    /// The position of a board was changed without a ply.
    fn put_right(&mut self, board: BoardId) {
        self.inputs[board.index()].forget_recent();
        self.hand_monitor.put_right(board);
        self.disagreement[board.index()] = [0; 64];
    }
}
