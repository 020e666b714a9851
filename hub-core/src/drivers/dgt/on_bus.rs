//! One board of a bus: what it is to be asked, and what its answers say.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{ReadingKind, SensorKind};

use super::clock::{self, Clock, ClockMessage};
use super::frame::{Address, Change, Command, changes};
use super::message::CODE_MAX;
use super::{DgtSettings, reading, readings, square};
use crate::drivers::board::{Board, Fixed};
use crate::drivers::{BoardSenses, ConnectionState, Device, Output, Unit};

/// How often a board is asked for its changes, in µs.
pub(super) const CHANGES_EVERY_US: u64 = 50_000;
/// How often a board's clock is read, in µs.
const CLOCK_EVERY_US: u64 = 1_000_000;
/// How often all squares are read although nothing was lost, in µs.
const BOARD_EVERY_US: u64 = 10_000_000;
/// How often a board that is not there, or has no place, is asked for, in µs.
const ASK_EVERY_US: u64 = 2_000_000;
/// The same of a board that the configuration does not know, in µs: it is told to a person each time.
const ASK_STRANGER_EVERY_US: u64 = 60_000_000;

/// One board of the bus.
#[derive(Debug)]
pub(super) struct OnBus {
    settings: DgtSettings,
    /// Not in the configuration.
    stranger: bool,
    unit: Unit,
    board: Board,
    clock: Clock,
    pub(super) admitted: bool,
    board_wanted: bool,
    /// Answered nothing lately: asked less often.
    pub(super) silent: bool,
    /// Data of its last answer.
    pub(super) last_answer: Option<Vec<u8>>,
    /// That answer told its changes, and it has been asked nothing since.
    pub(super) changes_fetched: bool,
    changes_at: HubTime,
    clock_at: HubTime,
    board_at: HubTime,
    pub(super) ask_at: HubTime,
    doubt: Option<&'static str>,
}

impl OnBus {
    /// A board that the configuration does not have.
    pub(super) fn stranger(address: Address) -> OnBus {
        OnBus { stranger: true, ..OnBus::new(address, DgtSettings::default()) }
    }

    pub(super) fn new(address: Address, settings: DgtSettings) -> OnBus {
        OnBus {
            settings,
            stranger: false,
            unit: Unit(address),
            board: Board::new(Fixed { turned: settings.reversed, mirrored: Some(false) }),
            clock: Clock::new(settings.clock_settings),
            admitted: false,
            board_wanted: false,
            silent: false,
            last_answer: None,
            changes_fetched: false,
            changes_at: HubTime::ZERO,
            clock_at: HubTime::ZERO,
            board_at: HubTime::ZERO,
            ask_at: HubTime::ZERO,
            doubt: None,
        }
    }

    /// What it is to be asked now.
    pub(super) fn due(&self, now: HubTime) -> Option<Command> {
        if !self.admitted {
            return (self.ask_at <= now).then_some(Command::Version);
        }
        if self.silent && self.ask_at > now {
            return None;
        }
        // Changes first: a board that was read would be told of older changes afterwards.
        (self.due_at() <= now).then_some(Command::Changes)
    }

    /// What else it is to be asked, while its changes are known.
    pub(super) fn due_after_changes(&self, now: HubTime) -> Option<Command> {
        if !self.admitted || self.silent || !self.changes_fetched {
            return None;
        }
        if self.board_wanted || self.board_at <= now {
            return Some(Command::Board);
        }
        (self.settings.clock && self.clock_at <= now).then_some(Command::Clock)
    }

    /// When it is to be asked something next.
    pub(super) fn due_at(&self) -> HubTime {
        if !self.admitted || self.silent {
            return self.ask_at;
        }
        let clock_at = if self.settings.clock { self.clock_at } else { HubTime::MAX };
        let board_at = if self.board_wanted { HubTime::ZERO } else { self.board_at };
        self.changes_at.min(board_at).min(clock_at)
    }

    pub(super) fn note_asked(&mut self, now: HubTime, what: Command) {
        let every_us = if self.stranger { ASK_STRANGER_EVERY_US } else { ASK_EVERY_US };
        self.ask_at = now.plus_micros(every_us);
        self.changes_fetched = false;
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
    pub(super) fn lose(&mut self, now: HubTime) {
        self.board.lose();
        self.board_wanted = true;
        self.silent = true;
        self.ask_at = now.plus_micros(ASK_EVERY_US);
    }

    /// It has its place: it is asked for everything from now on.
    pub(super) fn admit(&mut self, memory: ConnectionState) {
        self.board.admit(memory);
        self.clock.turn(self.board.orientation().turned);
        self.clock.forget();
        self.admitted = true;
        self.board_wanted = true;
    }

    /// Its place is taken away; what to keep of it.
    pub(super) fn release(&mut self) -> ConnectionState {
        self.admitted = false;
        self.board.memory()
    }

    /// The board says that it is there, with its version. Whether that was understood, as of all answers.
    pub(super) fn meet(&self, data: &[u8], outputs: &mut VecDeque<Output>) -> bool {
        let &[main, sub] = data else { return false };
        outputs.push_back(Output::Present(Device {
            unit: self.unit,
            id: Some(format!("dgt-bus-{}", self.unit.0)),
            firmware: format!("{main}.{sub:02}"),
            boot_id: None,
            board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
            clock: true,
        }));
        true
    }

    pub(super) fn take_board(
        &mut self,
        now: HubTime,
        data: &[u8],
        outputs: &mut VecDeque<Output>,
    ) -> bool {
        let codes: &[u8; 64] = match data.try_into() {
            Ok(codes) => codes,
            Err(_) => return false,
        };
        if codes.iter().any(|&code| code > CODE_MAX) {
            return false;
        }
        let news = self.board.set_all(readings(codes)).into_iter().collect();
        self.tell(now, news, outputs);
        true
    }

    pub(super) fn take_changes(
        &mut self,
        now: HubTime,
        data: &[u8],
        outputs: &mut VecDeque<Output>,
    ) -> bool {
        let Some(changes) = changes(data) else { return false };
        let mut news = Vec::new();
        for change in changes {
            match change {
                Change::Square(number, code) => {
                    news.extend(self.board.set(square(number), reading(code)));
                }
                Change::Press(index, [hours, minutes, seconds]) => {
                    if self.settings.clock && self.board.squares().is_some() {
                        let ms = clock::time_ms(hours, minutes, seconds);
                        news.extend(self.clock.press(index, ms));
                        self.clock_at = now;
                    }
                }
                Change::Restart => {
                    self.board.lose();
                    self.board_wanted = true;
                }
                Change::Note => {}
            }
        }
        self.tell(now, news, outputs);
        true
    }

    pub(super) fn take_clock(
        &mut self,
        now: HubTime,
        data: &[u8],
        outputs: &mut VecDeque<Output>,
    ) -> bool {
        let Ok(bytes) = data.try_into() else { return false };
        let message = clock::decode(bytes);
        let news = match message {
            ClockMessage::Nothing | ClockMessage::Absent => Vec::new(),
            ClockMessage::Impossible => return false,
            // Presses are in the changes. A rise is believed when it is said twice.
            ClockMessage::Shown(shown) => self.clock.take(shown, false).unwrap_or_default(),
        };
        self.tell(now, news, outputs);
        let absent = "no clock is connected to the board: plug its cable in; without a clock (clock = false) no times are recorded, and a ply \
             counts when it is answered or the board is left alone for 2.5 s";
        let absent = (message == ClockMessage::Absent).then_some(absent);
        let doubt = absent.or(self.clock.contradiction());
        if std::mem::replace(&mut self.doubt, doubt) != doubt {
            let detail = doubt.map(str::to_owned);
            outputs.push_back(Output::Doubtful { unit: self.unit, detail });
        }
        true
    }

    /// Hands readings on. The clock stands the way round that the board lies.
    fn tell(&mut self, now: HubTime, news: Vec<ReadingKind>, outputs: &mut VecDeque<Output>) {
        self.clock.turn(self.board.orientation().turned);
        self.board.tell(self.unit, now, news, outputs);
    }
}
