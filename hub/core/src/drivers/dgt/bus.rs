//! Several boards on one line, asked in turn.
//!
//! A board's id is `dgt-bus-` and its address. Boards that the configuration has on this line are asked for by address; one
//! ping to all, before anything else, tells of others. A board with its place is asked for its changes as often as the line
//! bears: it keeps them until then, in order, with the presses of its clock among them, so none is lost and none
//! comes before what it ended. A question and its answer take some 60 ms, so two boards are never done with: what else is
//! wanted of a board, its clock or all its squares, is asked directly after its changes and needs no idle line.
//!
//! # Lost questions and answers
//!
//! Changes that do not come, or come garbled, are asked for again with `Repeat`: the board sends its last changes once more. The same
//! changes as before mean that the question itself was lost; it is asked again, a bounded number of times. When that fails too, readings
//! are lost: a gap is emitted, and all squares are asked for. Squares and clock are asked for again behind the next changes.
//! Whatever comes of a question, its end is bounded, and then it is the next board's turn. Changes may also come when no question waits
//! for them: a board has forgotten the changes that it sent, so they count whenever they come.

use std::collections::{BTreeMap, VecDeque};

use proto::link::HubTime;

use super::frame::{Address, AnswerType, BusAnswer, Command, FrameDecoder, command};
use super::on_bus::OnBus;
use super::{DgtSettings, LINE};
use crate::drivers::unknown::Unknown;
use crate::drivers::{ConnectionState, DeviceHealth, Driver, LineSettings, Output, Unit, drain};

/// Longest time of an answer, in µs: 80 ms to begin, its bytes on the line (70 ms for all squares), and what the system between
/// takes.
const ANSWER_US: u64 = 250_000;
/// Longest time of answers to a ping, in µs.
const PING_US: u64 = 1_200_000;
/// Interval of the driver's reports of its counts, in µs.
const HEALTH_EVERY_US: u64 = 10_000_000;
/// Maximum number of repetitions of the last changes.
const REPEATS_MAX: u8 = 3;
/// Maximum number of times that a lost question for changes is sent again.
const AGAIN_MAX: u8 = 3;
/// Maximum number of boards on one line: more than a hall uses, and a bound for garbled addresses.
const BOARDS_MAX: usize = 64;

/// A question that waits for its answer.
#[derive(Clone, Copy, Debug)]
struct Asked {
    address: Address,
    /// The first question; repeats ask the same.
    command: Command,
    repeats: u8,
    /// Number of times that the question was sent again.
    again: u8,
    until: HubTime,
}

/// The driver of a line with several boards.
#[derive(Debug)]
pub(in crate::drivers) struct Bus {
    boards: BTreeMap<Address, OnBus>,
    decoder: FrameDecoder,
    asked: Option<Asked>,
    /// All boards have been asked to say that they are there.
    pinged: bool,
    /// The board that was asked last, for taking turns.
    turn: Address,
    /// Answers that were not understood, of any board.
    rejected: u64,
    unknown: Unknown,
    health_at: HubTime,
    to_send: VecDeque<u8>,
    outputs: VecDeque<Output>,
}

impl Bus {
    /// A line on which the configuration has these boards.
    pub(in crate::drivers) fn new(boards: impl Iterator<Item = (Address, DgtSettings)>) -> Bus {
        Bus {
            boards: boards
                .map(|(address, settings)| (address, OnBus::new(address, settings)))
                .collect(),
            decoder: FrameDecoder::default(),
            asked: None,
            pinged: false,
            turn: 0,
            rejected: 0,
            unknown: Unknown::default(),
            health_at: HubTime::ZERO,
            to_send: VecDeque::new(),
            outputs: VecDeque::new(),
        }
    }

    /// Asks the next question, if none waits for its answer and one is due.
    fn work(&mut self, now: HubTime) {
        if self.asked.is_some() {
            return;
        }
        if !std::mem::replace(&mut self.pinged, true) {
            self.ask(now, 0, Command::Ping);
            return;
        }
        let same = self.boards.get(&self.turn).and_then(|board| board.due_after_changes(now));
        let later = self.boards.range(self.turn.saturating_add(1)..);
        let mut turns = later.chain(self.boards.range(..=self.turn));
        let next = || turns.find_map(|(&address, board)| Some((address, board.due(now)?)));
        if let Some((address, what)) = same.map(|what| (self.turn, what)).or_else(next) {
            self.ask(now, address, what);
        }
    }

    fn ask(&mut self, now: HubTime, address: Address, what: Command) {
        self.turn = address;
        if let Some(board) = self.boards.get_mut(&address) {
            board.note_asked(now, what);
        }
        self.send(now, Asked { address, command: what, repeats: 0, again: 0, until: now }, what);
    }

    fn send(&mut self, now: HubTime, asked: Asked, what: Command) {
        let patience_us = if what == Command::Ping { PING_US } else { ANSWER_US };
        self.to_send.extend(command(what, asked.address));
        self.asked = Some(Asked { until: now.plus_micros(patience_us), ..asked });
    }

    /// No answer, or a garbled one.
    fn fail(&mut self, now: HubTime) {
        let Some(asked) = self.asked.take() else { return };
        let Some(board) = self.boards.get_mut(&asked.address) else { return };
        match asked.command {
            Command::Changes if asked.repeats < REPEATS_MAX && !board.silent => {
                board.note_repeat(now);
                self.send(now, Asked { repeats: asked.repeats + 1, ..asked }, Command::Repeat);
            }
            Command::Changes => board.lose(now),
            what => board.note_unanswered(now, what, &mut self.outputs),
        }
    }

    fn take(&mut self, now: HubTime, answer: BusAnswer) {
        let BusAnswer { what, address, data } = answer;
        if self.asked.is_some_and(|asked| asked.command == Command::Ping) {
            if self.boards.len() < BOARDS_MAX {
                self.boards.entry(address).or_insert_with(|| OnBus::stranger(address));
            }
            return;
        }
        let Some(board) = self.boards.get_mut(&address) else { return };
        self.outputs.push_back(Output::Heard(Unit(address)));
        board.silent = false;
        let outputs = &mut self.outputs;
        let asked = self.asked.filter(|asked| asked.address == address);
        let awaited = |command| asked.is_some_and(|asked| asked.command == command);
        let understood = match what {
            AnswerType::Changes { even } => return self.take_changes(now, address, even, &data),
            AnswerType::Board if awaited(Command::Board) => board.take_board(now, &data, outputs),
            AnswerType::Clock if awaited(Command::Clock) => board.take_clock(now, &data, outputs),
            AnswerType::Version if awaited(Command::Version) => {
                board.meet(&data, outputs);
                true
            }
            // No question waits for this answer any more, and it may be older than the known squares.
            AnswerType::Board | AnswerType::Clock | AnswerType::Version | AnswerType::Ping => {
                return;
            }
            AnswerType::Other(_) => {
                self.do_not_understand(what, address, &data);
                return;
            }
        };
        if understood {
            self.asked = None;
        } else {
            self.do_not_understand(what, address, &data);
            self.fail(now);
        }
    }

    /// Changes, whether they were asked for or not.
    fn take_changes(&mut self, now: HubTime, address: Address, even: bool, data: &[u8]) {
        let Some(board) = self.boards.get_mut(&address) else { return };
        let is_repeat = board.is_repeat(now, even, data);
        if !is_repeat {
            let taken = board.take_changes(now, even, data, &mut self.outputs);
            if !taken.is_understood {
                self.rejected += 1;
            }
            for (what, bytes) in taken.unknown {
                let what = format!("board {address} of the bus: {what}");
                self.outputs.extend(self.unknown.report(&what, &bytes));
            }
        }
        let asks_this =
            |asked: &Asked| asked.address == address && asked.command == Command::Changes;
        let Some(asked) = self.asked.filter(asks_this) else { return };
        self.asked = None;
        let Some(board) = self.boards.get_mut(&address) else { return };
        if !is_repeat || asked.repeats == 0 {
            board.note_changes(now, &mut self.outputs);
        } else if asked.again < AGAIN_MAX {
            // The question had not arrived.
            let asked = Asked { repeats: 0, again: asked.again + 1, ..asked };
            self.send(now, asked, Command::Changes);
        } else {
            board.lose(now);
        }
    }

    fn do_not_understand(&mut self, what: AnswerType, address: Address, data: &[u8]) {
        self.rejected += 1;
        let what = match what {
            AnswerType::Other(code) => format!("an answer of the unknown type 0x{code:02x}"),
            known => format!("an answer that is no {known:?} of {} bytes", data.len()),
        };
        let what = format!("board {address} of the bus: {what}");
        self.outputs.extend(self.unknown.report(&what, data));
    }
}

impl Driver for Bus {
    fn line(&self) -> LineSettings {
        LINE
    }

    fn opened(&mut self, now: HubTime) {
        self.decoder.reset();
        self.to_send.clear();
        self.asked = None;
        for board in self.boards.values_mut() {
            board.ask_at = now;
        }
        self.work(now);
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(answer)) => self.take(now, answer),
                // Boards that answer a ping may speak at once.
                Some(Err(_)) if self.asked.is_some_and(|asked| asked.command == Command::Ping) => {}
                Some(Err(error)) => {
                    self.rejected += 1;
                    self.outputs.push_back(Output::Garbled(error.to_string()));
                    self.fail(now);
                }
            }
        }
        self.work(now);
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.to_send, out)
    }

    fn next_due(&self) -> HubTime {
        match &self.asked {
            Some(asked) => asked.until,
            None => self.boards.values().map(OnBus::due_at).min().unwrap_or(HubTime::MAX),
        }
    }

    fn poll(&mut self, now: HubTime) {
        if now >= self.health_at {
            self.health_at = now.plus_micros(HEALTH_EVERY_US);
            for (&address, _) in self.boards.iter().filter(|(_, board)| board.admitted) {
                let rejected_messages = self.rejected;
                let health = DeviceHealth { rejected_messages, ..DeviceHealth::default() };
                self.outputs.push_back(Output::Health { unit: Unit(address), health });
            }
        }
        if self.asked.is_some_and(|asked| asked.until <= now) {
            self.fail(now);
        }
        self.work(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, unit: Unit, memory: ConnectionState) {
        let Some(board) = self.boards.get_mut(&unit.0) else { return };
        board.admit(memory);
    }

    fn release(&mut self, unit: Unit) -> ConnectionState {
        let Some(board) = self.boards.get_mut(&unit.0) else {
            return ConnectionState::Met { kept: None };
        };
        board.release()
    }

    fn silence(&self) -> &'static str {
        "no DGT board answers on this bus: check that the boards have power and are set to bus mode"
    }
}

#[cfg(test)]
#[path = "bus_tests.rs"]
mod tests;
