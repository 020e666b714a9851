//! A ChessLink: looks at one rank after the other, and answers questions with parity and check digits. In its maker's setting it also sends
//! its squares by itself on every scan.
//!
//! # Sources
//!
//! Line, parity, check digits, order of the squares (a8 to h8 first), questions `S` and `V` with their answers, a scan of 41 ms and a status
//! on every scan as the default: the published protocol, D. Woodfield 2017, as kept with python-mchess (`magic-board.md`). The order from the
//! h-file: some users' reports; it is not in that document.

use std::collections::VecDeque;

use rules::Square;

use super::{Scene, SerialDevice, drain};

/// Time to look at a rank: a piece that moves in between is on two squares, or on none.
const RANK_US: u64 = 5_120;
/// The answer with the firmware's version, high and low part.
const VERSION: &[u8; 5] = b"v0107";
/// Maximum number of bytes that wait for the line.
const WAITING_BYTES_MAX: usize = 1_024;

/// The board.
pub struct ChessLink {
    world: Box<dyn Scene>,
    /// What its squares are counted from: exclusive-or of its own numbers with this gives ours.
    lie: u32,
    question: Vec<u8>,
    letters: Vec<u8>,
    /// Sends its squares on every scan.
    reports: bool,
    /// Its squares were asked for.
    is_asked: bool,
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
            reports: false,
            is_asked: false,
            look_us: None,
            now_us: 0,
            out: VecDeque::new(),
        }
    }
}

impl ChessLink {
    /// The same board in its maker's setting: it sends its squares on every scan, asked or not.
    #[must_use]
    pub fn reporting(mut self) -> ChessLink {
        self.reports = true;
        self.look_us = Some(RANK_US);
        self
    }

    fn send(&mut self, mut answer: Vec<u8>) {
        let digits = format!("{:02X}", check(&answer));
        answer.extend(digits.bytes());
        if self.out.len() < WAITING_BYTES_MAX {
            self.out.extend(answer.into_iter().map(odd_parity));
        }
    }

    /// Does what a question with the right check digits asks for.
    fn obey(&mut self, letter: u8) {
        match letter {
            b'S' => {
                self.is_asked = true;
                if self.look_us.is_none() {
                    self.letters.clear();
                    self.look_us = Some(self.now_us + RANK_US);
                }
            }
            b'V' => self.send(VERSION.to_vec()),
            _ => {}
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
            let is_over = self.letters.len() == 64;
            if is_over {
                let mut answer = b"s".to_vec();
                answer.append(&mut self.letters);
                let twice = (self.is_asked && self.reports).then(|| answer.clone());
                self.send(answer);
                twice.into_iter().for_each(|answer| self.send(answer));
                self.is_asked = false;
            }
            self.look_us = (!is_over || self.reports).then_some(look_us + RANK_US);
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
            if let &[letter, high, low] = self.question.as_slice() {
                self.question.clear();
                if format!("{:02X}", check(&[letter])).bytes().eq([high, low]) {
                    self.obey(letter);
                }
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.question.clear();
        self.letters.clear();
        self.is_asked = false;
        self.look_us = self.reports.then_some(self.now_us + RANK_US);
        self.out.clear();
    }
}
