//! What boards have in common that say all they see as a line of text again and again, without being asked.

use std::collections::VecDeque;

use super::{SerialDevice, drain};

/// A board that says a line again and again.
pub(super) trait Says: Send {
    /// Time between two lines, microseconds.
    const LINE_US: u64;
    /// Bytes that may wait while nobody listens.
    const WAITING_BYTES_MAX: usize;

    /// Looks at its squares.
    fn look(&mut self, now_us: u64);

    /// All that it has seen.
    fn line(&self) -> String;
}

/// Such a board at its line.
pub struct Repeating<B> {
    board: B,
    line_us: u64,
    out: VecDeque<u8>,
}

impl<B> Repeating<B> {
    pub(super) fn of(board: B) -> Repeating<B> {
        Repeating { board, line_us: 0, out: VecDeque::new() }
    }
}

impl<B: Says> SerialDevice for Repeating<B> {
    fn next_due_us(&self) -> u64 {
        self.line_us
    }

    fn run_until(&mut self, now_us: u64) {
        while self.line_us <= now_us {
            self.board.look(self.line_us);
            if self.out.len() < B::WAITING_BYTES_MAX {
                self.out.extend(self.board.line().bytes());
            }
            self.line_us += B::LINE_US;
        }
    }

    fn receive(&mut self, _bytes: &[u8]) {}

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.out.clear();
    }
}
