//! Several DGT boards on one line. A board answers when it is asked, in order, after up to 80 ms; it notes changes and presses in
//! order and gives each once, and its last answer again on request. Boards answer a ping at a moment of their own.

use std::collections::VecDeque;

use rand::RngExt;

use super::dgt::{Eyes, Look};
use super::{Conventions, DgtQuirks, Scene, SerialDevice, drain};

/// Longest time to an answer, and to the answer to a ping.
const ANSWER_US: u64 = 80_000;
const PING_US: u64 = 1_100_000;
/// A change sooner after another than this says so.
const SOON_US: u64 = 250_000;

struct Board {
    address: u16,
    eyes: Eyes,
    notes: Vec<u8>,
    changed_us: u64,
    right_up: bool,
    last_answer: Vec<u8>,
    /// When its last answer is due: it answers one question after the other.
    answers_until_us: u64,
    ignores_ping: bool,
}

/// The boards and their line.
pub struct DgtBus {
    boards: Vec<Board>,
    command: Vec<u8>,
    /// What is to be said when.
    answers: Vec<(u64, Vec<u8>)>,
    now_us: u64,
    out: VecDeque<u8>,
}

impl DgtBus {
    /// Boards by address.
    #[must_use]
    pub fn new<S: Scene + 'static>(
        boards: Vec<(u16, S)>,
        conventions: Conventions,
        quirks: DgtQuirks,
        seed: u64,
    ) -> DgtBus {
        let board = |(address, world): (u16, S)| {
            let eyes = Eyes::new(Box::new(world), conventions, quirks, seed ^ u64::from(address));
            let right_up = eyes.right_up();
            Board {
                address,
                eyes,
                // Switched on.
                notes: vec![0x6A],
                changed_us: 0,
                right_up,
                last_answer: Vec::new(),
                answers_until_us: 0,
                ignores_ping: false,
            }
        };
        DgtBus {
            boards: boards.into_iter().map(board).collect(),
            command: Vec::new(),
            answers: Vec::new(),
            now_us: 0,
            out: VecDeque::new(),
        }
    }

    fn obey(&mut self, code: u8, address: u16) {
        for board in &mut self.boards {
            if address != 0 && address != board.address {
                continue;
            }
            let patience_us = if code == 0x87 { PING_US } else { ANSWER_US };
            let begin_us = self.now_us.max(board.answers_until_us);
            let at_us = begin_us + board.eyes.rng.random_range(0..patience_us);
            if let Some(answer) = board.answer(code, address == 0) {
                board.answers_until_us = at_us;
                self.answers.push((at_us, answer));
            }
        }
        self.answers.sort_by_key(|&(at_us, _)| at_us);
    }
}

impl Board {
    fn look(&mut self) {
        let at_us = self.eyes.look_us;
        let Look { changes, .. } = self.eyes.look();
        let right_up = self.eyes.right_up();
        for (number, code) in changes {
            let soon = u8::from(at_us - self.changed_us < SOON_US);
            self.changed_us = at_us;
            self.notes.extend([0x40 | soon << 4 | code, number]);
        }
        if std::mem::replace(&mut self.right_up, right_up) != right_up {
            // The right player's side going up means that the left one pressed.
            let left_stopped = right_up;
            let index = usize::from(left_stopped != self.eyes.conventions.left_first);
            let [hours, minutes, seconds] = self.eyes.times()[index];
            self.notes.extend([0x60 + 0x10 * index as u8 + (hours & 0x0F), minutes, seconds]);
        }
    }

    fn answer(&mut self, code: u8, to_all: bool) -> Option<Vec<u8>> {
        let data = match code {
            0x81 => self.eyes.clock().to_vec(),
            0x82 => self.eyes.seen.to_vec(),
            0x83 => std::mem::take(&mut self.notes),
            0x84 => return Some(self.last_answer.clone()),
            0x87 if to_all && std::mem::take(&mut self.ignores_ping) => return None,
            0x87 => Vec::new(),
            0x8A => {
                self.ignores_ping = true;
                return None;
            }
            0x8B => vec![1, 7],
            _ => return None,
        };
        let seven = |value: usize| [(value >> 7) as u8, value as u8 & 0x7F];
        let mut answer = vec![code];
        answer.extend(seven(data.len() + 6));
        answer.extend(seven(usize::from(self.address)));
        answer.extend(data);
        let sum = answer.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
        answer.push(sum & 0x7F);
        self.last_answer.clone_from(&answer);
        Some(answer)
    }
}

impl SerialDevice for DgtBus {
    fn next_due_us(&self) -> u64 {
        let looks = self.boards.iter().map(|board| board.eyes.look_us);
        looks.chain(self.answers.first().map(|&(at_us, _)| at_us)).min().unwrap_or(u64::MAX)
    }

    fn run_until(&mut self, now_us: u64) {
        for board in &mut self.boards {
            while board.eyes.look_us <= now_us {
                board.look();
            }
        }
        while self.answers.first().is_some_and(|&(at_us, _)| at_us <= now_us) {
            let (_, answer) = self.answers.remove(0);
            self.out.extend(answer);
        }
        self.now_us = now_us;
    }

    fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte >= 0x80 {
                self.command.clear();
            }
            self.command.push(byte);
            if let &[code, high, low, check] = self.command.as_slice() {
                self.command.clear();
                let sum = code.wrapping_add(high).wrapping_add(low) & 0x7F;
                if sum == check {
                    self.obey(code, u16::from(high) << 7 | u16::from(low));
                }
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.command.clear();
        self.answers.clear();
        self.out.clear();
        for board in &mut self.boards {
            board.notes = vec![0x6A];
        }
    }
}
