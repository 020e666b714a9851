//! Several boards on one line, asked in turn.
//!
//! A board's id is `dgt-bus-` and its address. Boards that the configuration has on this line are asked for by address; one
//! ping to all, before anything else, tells of others. A board with its place is asked for its changes as often as the line
//! bears: it keeps them until then, in order, with the presses of its clock among them, so none is lost and none
//! comes before what it ended. A question and its answer take some 60 ms, so two boards are never done with: what else is
//! wanted of a board, its clock or all its squares, is asked directly after its changes and needs no idle line.
//!
//! An answer that does not come, or comes garbled, is asked for again with `Repeat`; one that equals
//! the last answer of that board was that answer, and the question itself was lost. When that fails too, readings are
//! lost: a gap is told, and all squares are asked for. An answer may also come when nobody waits for it any more. A board has
//! forgotten the changes that it told, so these are taken whenever they come; they look like no other answer.

use std::collections::{BTreeMap, VecDeque};

use proto::link::HubTime;

use super::frame::{Address, Answer, Command, Decoder, command};
use super::on_bus::OnBus;
use super::{DgtSettings, LINE};
use crate::drivers::{ConnectionState, DeviceHealth, Driver, LineSettings, Output, Unit, drain};

/// How long an answer may take, in µs: 80 ms to begin, its bytes on the line (70 ms for all squares), and what the system between
/// takes.
const ANSWER_US: u64 = 250_000;
/// How long answers to a ping may take, in µs.
const PING_US: u64 = 1_200_000;
/// How often the driver tells what it counted, in µs.
const HEALTH_EVERY_US: u64 = 10_000_000;
/// How often an answer is asked for again.
const REPEATS_MAX: u8 = 3;
/// Boards on one line: more than a hall puts on one, and a bound for what a garbled address could make up.
const BOARDS_MAX: usize = 64;

/// A question that waits for its answer.
#[derive(Clone, Copy, Debug)]
struct Asked {
    address: Address,
    /// What was asked first; repeats ask for the same.
    command: Command,
    repeats: u8,
    until: HubTime,
}

/// The driver of a line with several boards.
#[derive(Debug)]
pub(in crate::drivers) struct Bus {
    boards: BTreeMap<Address, OnBus>,
    decoder: Decoder,
    asked: Option<Asked>,
    /// All boards have been asked to say that they are there.
    pinged: bool,
    /// Who was asked last, for taking turns.
    turn: Address,
    /// Answers that were not understood, of any board.
    rejected: u64,
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
            decoder: Decoder::default(),
            asked: None,
            pinged: false,
            turn: 0,
            rejected: 0,
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
        self.send(now, Asked { address, command: what, repeats: 0, until: now }, what);
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
        if asked.command == Command::Version {
            return;
        }
        if asked.repeats < REPEATS_MAX && !board.silent {
            let asked = Asked { repeats: asked.repeats + 1, ..asked };
            self.send(now, asked, Command::Repeat);
        } else {
            board.lose(now);
        }
    }

    fn take(&mut self, now: HubTime, answer: Answer) {
        let Answer { address, data } = answer;
        if self.asked.is_some_and(|asked| asked.command == Command::Ping) {
            if self.boards.len() < BOARDS_MAX {
                self.boards.entry(address).or_insert_with(|| OnBus::stranger(address));
            }
            return;
        }
        let Some(board) = self.boards.get_mut(&address) else { return };
        self.outputs.push_back(Output::Heard(Unit(address)));
        board.silent = false;
        let same = board.last_answer.as_ref() == Some(&data);
        let Some(asked) = self.asked.filter(|asked| asked.address == address) else {
            if !same {
                self.take_late(now, address, data);
            }
            return;
        };
        if same && asked.repeats > 0 {
            // The question had not arrived.
            self.ask(now, address, asked.command);
            return;
        }
        if same && asked.command == Command::Changes && !data.is_empty() {
            // Changes that were given up and come late, a second time.
            return;
        }
        let outputs = &mut self.outputs;
        let understood = match asked.command {
            Command::Version => board.meet(&data, outputs),
            Command::Changes => board.take_changes(now, &data, outputs),
            Command::Board => board.take_board(now, &data, outputs),
            Command::Clock => board.take_clock(now, &data, outputs),
            Command::Repeat | Command::Ping | Command::IgnoreNextPing => true,
        };
        if understood {
            self.asked = None;
            board.last_answer = Some(data);
            board.changes_fetched = asked.command == Command::Changes;
        } else {
            // The right one is waited for.
            self.take_late(now, address, data);
        }
    }

    /// An answer to a question that was given up: the board's changes, or nothing that is needed.
    fn take_late(&mut self, now: HubTime, address: Address, data: Vec<u8>) {
        let board = self.boards.get_mut(&address).filter(|board| board.admitted);
        let Some(board) = board else { return };
        if board.take_changes(now, &data, &mut self.outputs) {
            board.last_answer = Some(data);
        } else {
            self.rejected += 1;
        }
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
mod tests {
    use readings::ReadingKind;

    use super::super::frame::answer;
    use super::super::on_bus::CHANGES_EVERY_US;
    use super::*;

    const ADDRESS: Address = 5;

    /// The command that the driver sends next at `now`.
    fn asked(bus: &mut Bus, now: HubTime) -> u8 {
        bus.poll(now);
        let mut bytes = [0; 64];
        let sent = bus.transmit(&mut bytes);
        assert_eq!(sent, 4, "one question at a time");
        bytes[0]
    }

    fn told(bus: &mut Bus) -> Vec<ReadingKind> {
        let mut told = Vec::new();
        while let Some(output) = bus.poll_output() {
            if let Output::Readings { readings, .. } = output {
                told.extend(readings.into_iter().map(|(_, kind)| kind));
            }
        }
        told
    }

    /// A bus with one empty board that has its place, and the time.
    fn admitted(settings: DgtSettings) -> (Bus, HubTime) {
        let mut bus = Bus::new([(ADDRESS, settings)].into_iter());
        bus.opened(HubTime::ZERO);
        assert_eq!(asked(&mut bus, HubTime::ZERO), Command::Ping as u8);
        let mut now = HubTime::ZERO.plus_micros(PING_US);
        assert_eq!(asked(&mut bus, now), Command::Version as u8);
        bus.receive(now, &answer(ADDRESS, &[1, 7]));
        bus.admit(Unit(ADDRESS), ConnectionState::New { resume: None, kept: None });
        for (command, data) in [(Command::Changes, &[][..]), (Command::Board, &[0; 64][..])] {
            assert_eq!(asked(&mut bus, now), command as u8);
            now = now.plus_micros(CHANGES_EVERY_US);
            bus.receive(now, &answer(ADDRESS, data));
        }
        told(&mut bus);
        (bus, now)
    }

    #[test]
    fn changes_that_come_when_nobody_waits_for_them_any_more_are_told() {
        let (mut bus, mut now) = admitted(DgtSettings::default());
        assert_eq!(asked(&mut bus, now), Command::Changes as u8);
        now = now.plus_micros(ANSWER_US);
        assert_eq!(asked(&mut bus, now), Command::Repeat as u8);
        // The answer to the first question, to its repetition, and to the next one.
        let (none, one) = (answer(ADDRESS, &[]), answer(ADDRESS, &[0x41, 28]));
        bus.receive(now, &none);
        now = now.plus_micros(CHANGES_EVERY_US);
        bus.poll(now);
        bus.receive(now, &[none, one].concat());
        let told = told(&mut bus);
        assert!(matches!(told[..], [ReadingKind::Square { .. }]), "{told:?}");
    }

    #[test]
    fn the_clock_is_read_although_changes_are_always_due() {
        let (mut bus, mut now) = admitted(DgtSettings { clock: true, ..DgtSettings::default() });
        let clock = [0, 0x05, 0x00, 0, 0x05, 0x00, 0x02];
        let mut commands = Vec::new();
        for _ in 0..4 {
            let command = asked(&mut bus, now);
            commands.push(command);
            // Each answer takes longer than changes may wait.
            now = now.plus_micros(CHANGES_EVERY_US + 1);
            let data: &[u8] = if command == Command::Clock as u8 { &clock } else { &[] };
            bus.receive(now, &answer(ADDRESS, data));
        }
        let [changes, clock] = [Command::Changes as u8, Command::Clock as u8];
        assert_eq!(commands, [changes, clock, changes, changes]);
    }
}
