//! Every jump of the belief: changes of the hypotheses that no ply explains.
//!
//! Much beside the beam rests on what it believed: hands are judged by positions, tray events wait
//! for captures. So every jump goes through [`Tracker::jump`],
//! which has the list of all that must know of it.

use rules::{Bitboard, BoardId};

use super::Tracker;
use crate::{facts::StandsFact, report::TrackerOutput};

/// A change of the hypotheses without a ply.
#[derive(Clone, Debug)]
pub(super) enum Jump {
    /// A director ordered this position to be reinstated. Squares that read otherwise are named.
    Reinstated(StandsFact, Bitboard),
    /// No sequence of plies explains the occupied squares of this board; with the number of differing squares.
    Reanchored(BoardId, Bitboard, u32),
}

impl Tracker {
    /// Changes the hypotheses, and everything beside the beam that rests on them.
    pub(super) fn jump(&mut self, jump: Jump) {
        let t_us = self.now_us;
        match jump {
            Jump::Reinstated(fact, differing) => {
                let (board, of_us) = (fact.board, fact.t_us);
                self.inputs[board.index()].segment.restart();
                // Changes of the trays until now were no play.
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
        }
    }

    /// The position of a board was changed without a ply.
    fn put_right(&mut self, board: BoardId) {
        self.inputs[board.index()].forget_recent();
        self.hand_monitor.put_right(board);
        self.disagreement[board.index()] = [0; 64];
    }
}
