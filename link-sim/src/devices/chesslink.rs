//! A ChessLink: looks at one rank after the other when it is asked, and answers with parity and check digits.

use std::collections::VecDeque;

use rules::Square;

use super::{Scene, SerialDevice, drain};

/// Time to look at a rank: a piece that moves in between is on two squares, or on none.
const RANK_US: u64 = 4_000;

/// The board.
pub struct ChessLink {
    world: Box<dyn Scene>,
    /// What its squares are counted from: exclusive-or of its own numbers with this gives ours.
    lie: u32,
    question: Vec<u8>,
    letters: Vec<u8>,
    look_us: Option<u64>,
    now_us: u64,
    out: VecDeque<u8>,
}

impl ChessLink {
    /// A board that lies the other way round or counts its files from h.
    #[must_use]
    pub fn new(world: impl Scene + 'static, reversed: bool, h_file_first: bool) -> ChessLink {
        let lie = 56 ^ if reversed { 63 } else { 0 } ^ if h_file_first { 7 } else { 0 };
        ChessLink {
            world: Box::new(world),
            lie,
            question: Vec::new(),
            letters: Vec::new(),
            look_us: None,
            now_us: 0,
            out: VecDeque::new(),
        }
    }
}

fn check(letters: &[u8]) -> u8 {
    letters.iter().fold(0, |check, letter| check ^ letter)
}

fn odd_parity(letter: u8) -> u8 {
    letter | u8::from(letter.count_ones().is_multiple_of(2)) << 7
}

impl SerialDevice for ChessLink {
    fn next_due_us(&self) -> u64 {
        self.look_us.unwrap_or(u64::MAX)
    }

    fn run_until(&mut self, now_us: u64) {
        while let Some(look_us) = self.look_us.filter(|&look_us| look_us <= now_us) {
            self.world.run_until(look_us);
            let first = self.letters.len() as u32;
            for number in first..first + 8 {
                let piece = self.world.piece(Square::new(number ^ self.lie));
                self.letters.push(piece.map_or(b'.', |piece| piece.char() as u8));
            }
            self.look_us = (self.letters.len() < 64).then_some(look_us + RANK_US);
            if self.look_us.is_none() {
                let mut answer = b"s".to_vec();
                answer.append(&mut self.letters);
                let digits = format!("{:02X}", check(&answer));
                answer.extend(digits.bytes());
                self.out.extend(answer.into_iter().map(odd_parity));
            }
        }
        self.now_us = now_us;
    }

    fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte.count_ones().is_multiple_of(2) {
                // The parity is wrong: a character that is not taken.
                self.question.clear();
                continue;
            }
            let letter = byte & 0x7F;
            if letter.is_ascii_uppercase() && !letter.is_ascii_hexdigit() {
                self.question.clear();
            }
            self.question.push(letter);
            if self.question == b"S53" {
                self.question.clear();
                self.letters.clear();
                self.look_us = Some(self.now_us + RANK_US);
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.question.clear();
        self.letters.clear();
        self.look_us = None;
        self.out.clear();
    }
}
