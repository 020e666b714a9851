//! Several boards on one line, asked in turn.
//!
//! A board's id is `dgt-bus-` and its address. Boards that the configuration has on this line are asked for by address; one
//! ping to all tells of others. A board with its place is asked for its changes many times a second: it keeps them until
//! then, in order, with the presses of its clock among them, so none is lost and none comes before what it
//! ended. An answer that does not come, or comes garbled, is asked for again with `Repeat`; one that equals
//! the last answer of that board was that answer, and the question itself was lost. When that fails too, readings are
//! lost: a gap is told, and all squares are asked for.

use std::collections::{BTreeMap, VecDeque};

use inference::record::{ReadingKind, SensorKind};
use proto::link::HubTime;

use super::clock::{self, Clock, ClockMessage};
use super::frame::{Address, Answer, Change, Command, Decoder, changes, command};
use super::{DgtSettings, LINE, reading, readings, square};
use crate::drivers::board::{Board, Fixed};
use crate::drivers::{
    BoardSenses, Device, DeviceHealth, Driver, LineSettings, Memory, Output, Unit, drain,
};

/// How long an answer may take, in µs: 80 ms to begin, its bytes on the line (70 ms for all squares), and what the system between
/// takes.
const ANSWER_US: u64 = 250_000;
/// How long answers to a ping may take, in µs.
const PING_US: u64 = 1_200_000;
/// How often a board is asked for its changes, in µs.
const CHANGES_EVERY_US: u64 = 50_000;
/// How often a board's clock is read, in µs.
const CLOCK_EVERY_US: u64 = 1_000_000;
/// How often all squares are read although nothing was lost, in µs.
const BOARD_EVERY_US: u64 = 10_000_000;
/// How often a board that is not there, or has no place, is asked for, in µs.
const ASK_EVERY_US: u64 = 2_000_000;
/// The same of a board that the configuration does not know, in µs: it is told to a person each time.
const ASK_STRANGER_EVERY_US: u64 = 60_000_000;
/// How often the driver tells what it counted, in µs.
const HEALTH_EVERY_US: u64 = 10_000_000;
/// How often an answer is asked for again.
const REPEATS_MAX: u8 = 3;
/// Boards on one line: more than a hall puts on one, and a bound for what a garbled address could make up.
const BOARDS_MAX: usize = 64;

/// One board of the bus.
#[derive(Debug)]
struct OnBus {
    settings: DgtSettings,
    /// Not in the configuration.
    stranger: bool,
    board: Board,
    clock: Clock,
    admitted: bool,
    gap: bool,
    board_wanted: bool,
    /// Answered nothing lately: asked less often.
    silent: bool,
    /// Data of its last answer.
    last_answer: Option<Vec<u8>>,
    changes_at: HubTime,
    clock_at: HubTime,
    board_at: HubTime,
    ask_at: HubTime,
    doubt: Option<&'static str>,
}

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
            boards: boards.map(|(address, settings)| (address, OnBus::new(settings))).collect(),
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
        let later = self.boards.range(self.turn.saturating_add(1)..);
        let turns = later.chain(self.boards.range(..=self.turn));
        let due = turns.filter_map(|(&address, board)| Some((address, board.due(now)?))).next();
        match due {
            Some((address, what)) => self.ask(now, address, what),
            None if !self.pinged => {
                self.pinged = true;
                self.ask(now, 0, Command::Ping);
            }
            None => {}
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
                let stranger = || OnBus { stranger: true, ..OnBus::new(DgtSettings::default()) };
                self.boards.entry(address).or_insert_with(stranger);
            }
            return;
        }
        let Some(asked) = self.asked.filter(|asked| asked.address == address) else { return };
        let Some(board) = self.boards.get_mut(&address) else { return };
        self.outputs.push_back(Output::Heard(Unit(address)));
        board.silent = false;
        let same = board.last_answer.as_ref() == Some(&data);
        if same && asked.repeats > 0 {
            // The question had not arrived.
            self.ask(now, address, asked.command);
            return;
        }
        if same && asked.command == Command::Changes && !data.is_empty() {
            // Changes that were given up and come late, a second time.
            return;
        }
        let outputs = match asked.command {
            Command::Version => meet(&data),
            Command::Changes => board.take_changes(now, &data),
            Command::Board => board.take_board(now, &data),
            Command::Clock => board.take_clock(now, &data),
            Command::Repeat | Command::Ping | Command::IgnoreNextPing => Some(Vec::new()),
        };
        match outputs {
            Some(outputs) => {
                self.asked = None;
                board.last_answer = Some(data);
                self.outputs.extend(outputs.into_iter().map(|of| of.of(address)));
            }
            // A late answer to an earlier question: the right one is waited for.
            None => self.rejected += 1,
        }
    }
}

/// What a board has to say, before it is said whose it is.
enum Said {
    Present(String),
    Readings(Vec<(HubTime, ReadingKind)>),
    Doubtful(Option<&'static str>),
    Keep(String),
}

impl Said {
    fn of(self, address: Address) -> Output {
        let unit = Unit(address);
        match self {
            Said::Present(firmware) => Output::Present(Device {
                unit,
                id: Some(format!("dgt-bus-{address}")),
                firmware,
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
                clock: true,
            }),
            Said::Readings(readings) => Output::Readings { unit, readings, reached: None },
            Said::Doubtful(detail) => Output::Doubtful { unit, detail: detail.map(str::to_owned) },
            Said::Keep(text) => Output::Keep { unit, text },
        }
    }
}

impl OnBus {
    fn new(settings: DgtSettings) -> OnBus {
        OnBus {
            settings,
            stranger: false,
            board: Board::new(Fixed { turned: settings.reversed, mirrored: Some(false) }),
            clock: Clock::new(settings.clock_settings),
            admitted: false,
            gap: false,
            board_wanted: false,
            silent: false,
            last_answer: None,
            changes_at: HubTime::ZERO,
            clock_at: HubTime::ZERO,
            board_at: HubTime::ZERO,
            ask_at: HubTime::ZERO,
            doubt: None,
        }
    }

    /// What it is to be asked now.
    fn due(&self, now: HubTime) -> Option<Command> {
        if !self.admitted {
            return (self.ask_at <= now).then_some(Command::Version);
        }
        if self.silent && self.ask_at > now {
            return None;
        }
        // Changes first: a board that was read would be told of older changes afterwards.
        if self.changes_at <= now {
            return Some(Command::Changes);
        }
        if self.board_wanted || self.board_at <= now {
            return Some(Command::Board);
        }
        (self.settings.clock && self.clock_at <= now).then_some(Command::Clock)
    }

    /// When it is to be asked something next.
    fn due_at(&self) -> HubTime {
        if !self.admitted || self.silent {
            return self.ask_at;
        }
        let clock_at = if self.settings.clock { self.clock_at } else { HubTime::MAX };
        let board_at = if self.board_wanted { HubTime::ZERO } else { self.board_at };
        self.changes_at.min(board_at).min(clock_at)
    }

    fn note_asked(&mut self, now: HubTime, what: Command) {
        let every_us = if self.stranger { ASK_STRANGER_EVERY_US } else { ASK_EVERY_US };
        self.ask_at = now.plus_micros(every_us);
        match what {
            Command::Changes => self.changes_at = now.plus_micros(CHANGES_EVERY_US),
            Command::Clock => self.clock_at = now.plus_micros(CLOCK_EVERY_US),
            Command::Board => {
                self.board_wanted = false;
                self.board_at = now.plus_micros(BOARD_EVERY_US);
            }
            _ => {}
        }
    }

    /// Answers were lost.
    fn lose(&mut self, now: HubTime) {
        self.gap = true;
        self.board_wanted = true;
        self.silent = true;
        self.ask_at = now.plus_micros(ASK_EVERY_US);
    }

    fn take_board(&mut self, now: HubTime, data: &[u8]) -> Option<Vec<Said>> {
        let codes: &[u8; 64] = data.try_into().ok()?;
        if codes.iter().any(|&code| code > 15) {
            return None;
        }
        let lie = self.board.lie();
        let news = self.board.set_all(readings(codes)).into_iter().collect();
        let kept = self.keep(lie);
        Some(self.tell(now, news).into_iter().chain(kept).collect())
    }

    fn take_changes(&mut self, now: HubTime, data: &[u8]) -> Option<Vec<Said>> {
        let changes = changes(data)?;
        let lie = self.board.lie();
        let mut news = Vec::new();
        for change in changes {
            match change {
                Change::Square(number, code) => {
                    news.extend(self.board.set(square(number), reading(code)));
                }
                Change::Press(index, [hours, minutes, seconds]) => {
                    if self.settings.clock && self.board.squares().is_some() {
                        let ms = clock::time_ms(hours, minutes, seconds)?;
                        news.extend(self.clock.press(index, ms));
                        self.clock_at = now;
                    }
                }
                Change::Restart => {
                    self.gap = true;
                    self.board_wanted = true;
                }
                Change::Note => {}
            }
        }
        let kept = self.keep(lie);
        Some(self.tell(now, news).into_iter().chain(kept).collect())
    }

    fn take_clock(&mut self, now: HubTime, data: &[u8]) -> Option<Vec<Said>> {
        let bytes: &[u8; 7] = data.try_into().ok()?;
        let message = clock::decode(bytes);
        let news = match message {
            ClockMessage::Nothing | ClockMessage::Absent => Vec::new(),
            ClockMessage::Impossible => return None,
            // Presses are in the changes. A rise is believed when it is said twice.
            ClockMessage::Shown(shown) => self.clock.take(shown, false).unwrap_or_default(),
        };
        let absent =
            "no clock is connected to the board: plug its cable in, or remove clock = true";
        let absent = (message == ClockMessage::Absent).then_some(absent);
        let doubt = absent.or(self.clock.contradiction());
        let said = (doubt != self.doubt).then_some(Said::Doubtful(doubt));
        self.doubt = doubt;
        Some(self.tell(now, news).into_iter().chain(said).collect())
    }

    fn tell(&mut self, now: HubTime, news: Vec<ReadingKind>) -> Option<Said> {
        if news.is_empty() {
            return None;
        }
        let gap = std::mem::take(&mut self.gap).then_some(ReadingKind::Gap { lost: 0 });
        Some(Said::Readings(gap.into_iter().chain(news).map(|kind| (now, kind)).collect()))
    }

    fn keep(&mut self, before: crate::drivers::board::Lie) -> Option<Said> {
        let lie = self.board.lie();
        self.clock.turn(lie.turned);
        (lie != before).then(|| Said::Keep(serde_json::to_string(&lie).unwrap_or_default()))
    }
}

fn meet(data: &[u8]) -> Option<Vec<Said>> {
    let &[main, sub] = data else { return None };
    Some(vec![Said::Present(format!("{main}.{sub:02}"))])
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

    fn admit(&mut self, unit: Unit, memory: Memory) {
        let Some(board) = self.boards.get_mut(&unit.0) else { return };
        let (kept, met) = memory.kept();
        if let Some(lie) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            board.board.recall(lie);
        }
        board.clock.turn(board.board.lie().turned);
        board.board.forget();
        board.clock.forget();
        board.admitted = true;
        board.gap = met;
        board.board_wanted = true;
    }

    fn release(&mut self, unit: Unit) -> Memory {
        let Some(board) = self.boards.get_mut(&unit.0) else { return Memory::Met { kept: None } };
        board.admitted = false;
        Memory::Met { kept: serde_json::to_string(&board.board.lie()).ok() }
    }

    fn silence(&self) -> &'static str {
        "no DGT board answers on this bus: check that the boards have power and are set to bus mode"
    }
}
