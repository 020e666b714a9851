//! A Sentio board: a line with the occupied squares, ten times a second.

use std::collections::VecDeque;

use rules::Square;

use super::{Scene, SerialDevice, drain};

/// Time between two lines.
const LINE_US: u64 = 100_000;
/// Bytes that may wait while nobody listens.
const WAITING_BYTES_MAX: usize = 1_024;

/// The board.
pub struct Sentio {
    world: Box<dyn Scene>,
    line_us: u64,
    out: VecDeque<u8>,
}

impl Sentio {
    /// A board that lies with its first rank at White.
    #[must_use]
    pub fn new(world: impl Scene + 'static) -> Sentio {
        Sentio { world: Box::new(world), line_us: 0, out: VecDeque::new() }
    }

    fn say(&mut self) {
        let mut ranks = [0_u8; 8];
        for square in Square::ALL {
            if self.world.piece(square).is_some() {
                let index = usize::from(square);
                ranks[7 - index / 8] |= 1 << (7 - index % 8);
            }
        }
        let numbers = ranks.map(|rank| rank.to_string());
        self.out.extend(format!(":{}\r\n", numbers.join(" ")).bytes());
    }
}

impl SerialDevice for Sentio {
    fn next_due_us(&self) -> u64 {
        self.line_us
    }

    fn run_until(&mut self, now_us: u64) {
        while self.line_us <= now_us {
            self.world.run_until(self.line_us);
            if self.out.len() < WAITING_BYTES_MAX {
                self.say();
            }
            self.line_us += LINE_US;
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
