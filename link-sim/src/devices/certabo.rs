//! A Certabo board with RFID: a line with the tags of all squares, over and over.

use std::collections::VecDeque;

use rules::{Piece, Square};

use super::tags::Tag;
use super::{Scene, SerialDevice, TagPool, drain};

/// Time to read all squares and send them: a line has some 700 characters at 38,400 baud.
const LINE_US: u64 = 300_000;
/// Lines that may wait while nobody listens.
const WAITING_BYTES_MAX: usize = 4_096;

/// The board.
pub struct Certabo {
    world: Box<dyn Scene>,
    reversed: bool,
    pool: TagPool,
    tags: [Option<(Piece, Tag)>; 64],
    line_us: u64,
    out: VecDeque<u8>,
}

impl Certabo {
    /// A board whose pieces have tags of this pool.
    #[must_use]
    pub fn new(world: impl Scene + 'static, reversed: bool, pool: TagPool) -> Certabo {
        let mut board = Certabo {
            world: Box::new(world),
            reversed,
            pool,
            tags: [None; 64],
            line_us: 0,
            out: VecDeque::new(),
        };
        board.look();
        board
    }

    /// Sees which piece stands where: pieces that were taken up first, so that their tags can be put down again.
    fn look(&mut self) {
        for square in Square::ALL {
            let place = &mut self.tags[usize::from(square)];
            if let Some((piece, tag)) = *place
                && self.world.piece(square) != Some(piece)
            {
                self.pool.take_up(piece, tag);
                *place = None;
            }
        }
        for square in Square::ALL {
            let place = &mut self.tags[usize::from(square)];
            if let (None, Some(piece)) = (*place, self.world.piece(square)) {
                *place = Some((piece, self.pool.put_down(piece)));
            }
        }
    }

    fn say(&mut self) {
        let mut line = String::from(":");
        for number in 0..64_u32 {
            let square = Square::new(number ^ 56 ^ if self.reversed { 63 } else { 0 });
            let tag = self.tags[usize::from(square)].map_or([0; 5], |(_, tag)| tag);
            for byte in tag {
                line.push_str(&byte.to_string());
                line.push(' ');
            }
        }
        line.push_str("\r\n");
        self.out.extend(line.bytes());
    }
}

impl SerialDevice for Certabo {
    fn next_due_us(&self) -> u64 {
        self.line_us
    }

    fn run_until(&mut self, now_us: u64) {
        while self.line_us <= now_us {
            self.world.run_until(self.line_us);
            self.look();
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
