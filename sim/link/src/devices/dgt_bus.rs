//! Several DGT boards on one line. A board answers when it is asked, in order, after up to 80 ms; it notes changes and presses in
//! order and gives each once, and its last changes again on request. Boards answer a ping at a moment of their own.
//!
//! # Sources
//!
//! | bytes | from |
//! |---|---|
//! | questions 0x81 to 0x8B, their checksum; answers 0x83 squares, 0x84 clock, 0x85 changes, 0x87 ping, 0x89 version | DGT's protocol header of 2014, as published with PicoChess (`test/dgtbrd-ruud.h`) |
//! | 0x84 repeats the last packet of *changes*; 0x8A is acknowledged with 0x87; a version of no bytes up to release 1.2 | the same |
//! | notes 0x00, 0x40 to 0x7F; "when the moves are done very fast, the storage is skipped" of presses | the same |
//! | changes alternate between 0x85 and 0x8B; delay tags 0x10 to 0x3F | enumerations of a public host library in C#, `ChessLib.EBoards.DGT`; which boards do so is not known |
//! | changes that end with 0x6B | the public emulator `pegasus_bridge.py`, tested against a recorded session of LiveChess |
//! | times to an answer | DGT's header; quirks of scan and clock: see [`super::Dgt`] |

use std::collections::VecDeque;

use rand::RngExt;

use super::dgt::{Eyes, Look};
use super::{Conventions, DgtQuirks, Scene, SerialDevice, drain};

/// Longest time to an answer, and to the answer to a ping.
const ANSWER_US: u64 = 80_000;
const PING_US: u64 = 1_100_000;
/// The question "who is there?", and its answer.
const PING: u8 = 0x87;
/// Notes without a change: nothing, and the end of what was noted.
const NO_OPERATION: u8 = 0x00;
const END_MARK: u8 = 0x6B;
/// A change sooner after another than this says so.
const SOON_US: u64 = 250_000;

/// Differences between releases, and between sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusManners {
    /// Answers with changes alternate between two types.
    pub alternates: bool,
    /// Changes end with the mark of the memory's end.
    pub ends_with_mark: bool,
    /// No-operations and tags of delays stand among the changes.
    pub tags: bool,
    /// Share of the presses that are not noted, 0 to 1.
    pub skipped_presses: f64,
    /// Share of the questions that do not arrive, 0 to 1.
    pub lost_questions: f64,
    /// The version's bytes.
    pub version: &'static [u8],
}

impl Default for BusManners {
    fn default() -> BusManners {
        BusManners {
            alternates: false,
            ends_with_mark: false,
            tags: false,
            skipped_presses: 0.0,
            lost_questions: 0.0,
            version: &[1, 7],
        }
    }
}

struct Board {
    address: u16,
    eyes: Eyes,
    manners: BusManners,
    notes: Vec<u8>,
    changed_us: u64,
    right_up: bool,
    /// The last answer with changes, and whether it was of the second type.
    last_changes: Vec<u8>,
    even: bool,
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
                manners: BusManners::default(),
                last_changes: Vec::new(),
                even: true,
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

    /// The same boards, of such a release.
    #[must_use]
    pub fn with_manners(mut self, manners: BusManners) -> DgtBus {
        self.boards.iter_mut().for_each(|board| board.manners = manners);
        self
    }

    fn obey(&mut self, code: u8, address: u16) {
        for board in &mut self.boards {
            if address != 0 && address != board.address {
                continue;
            }
            let lost = board.manners.lost_questions;
            if code != PING && lost > 0.0 && board.eyes.rng.random_bool(lost) {
                continue;
            }
            let patience_us = if code == PING { PING_US } else { ANSWER_US };
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
            if self.manners.tags {
                // Fractions of a second since the change before, and now and then nothing at all.
                let since = (at_us - self.changed_us).min(900_000) / 60_000;
                self.notes.extend([0x10 | since as u8, NO_OPERATION]);
            }
            self.changed_us = at_us;
            self.notes.extend([0x40 | soon << 4 | code, number]);
        }
        let skipped = self.manners.skipped_presses;
        if std::mem::replace(&mut self.right_up, right_up) != right_up
            && !(skipped > 0.0 && self.eyes.rng.random_bool(skipped))
        {
            // The right player's side going up means that the left one pressed.
            let left_stopped = right_up;
            let index = usize::from(left_stopped != self.eyes.conventions.left_first);
            let [hours, minutes, seconds] = self.eyes.times()[index];
            self.notes.extend([0x60 + 0x10 * index as u8 + (hours & 0x0F), minutes, seconds]);
        }
    }

    fn answer(&mut self, code: u8, to_all: bool) -> Option<Vec<u8>> {
        let (what, data) = match code {
            0x81 => (0x84, self.eyes.clock().to_vec()),
            0x82 => (0x83, self.eyes.seen.to_vec()),
            0x83 => return Some(self.changes()),
            0x84 if self.last_changes.is_empty() => return Some(self.changes()),
            0x84 => return Some(self.last_changes.clone()),
            PING if to_all && std::mem::take(&mut self.ignores_ping) => return None,
            PING => (PING, Vec::new()),
            0x8A => {
                self.ignores_ping = true;
                (PING, Vec::new())
            }
            0x8B => (0x89, self.manners.version.to_vec()),
            _ => return None,
        };
        Some(self.frame(what, &data))
    }

    /// Its notes since the last question.
    fn changes(&mut self) -> Vec<u8> {
        let mut data = std::mem::take(&mut self.notes);
        if self.manners.ends_with_mark {
            data.push(END_MARK);
        }
        self.even = self.manners.alternates && !self.even;
        self.last_changes = self.frame(if self.even { 0x8B } else { 0x85 }, &data);
        self.last_changes.clone()
    }

    fn frame(&self, what: u8, data: &[u8]) -> Vec<u8> {
        let seven = |value: usize| [(value >> 7) as u8, value as u8 & 0x7F];
        let mut answer = vec![what];
        answer.extend(seven(data.len() + 6));
        answer.extend(seven(usize::from(self.address)));
        answer.extend(data);
        let sum = answer.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
        answer.push(sum & 0x7F);
        answer
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
