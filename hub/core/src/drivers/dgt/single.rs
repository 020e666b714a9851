//! One board on a line of its own.
//!
//! Start-up: reset, ask for version and serial number (the board's id is `dgt-` and that number); once it has its place, ask
//! for all squares and the clock, and for changes from then on. All of that is asked for again every second: that
//! shows changes whose message was lost, and that the board still lives. A board that lost its power for a moment has forgotten that it was to send changes.
//! Because a dump has no checksum, one that contradicts the known squares counts when it was repeated.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{ReadingKind, SensorKind};

use super::clock::{self, Clock, ClockMessage};
use super::message::{Message, MessageDecoder, MessageError};
use super::{DgtSettings, LINE, reading, readings, square};
use crate::drivers::board::{Board, Fixed, Squares};
use crate::drivers::silence::LastHeard;
use crate::drivers::unknown::Unknown;
use crate::drivers::{
    BoardSenses, ConnectionState, Device, DeviceHealth, Driver, LineSettings, Output, Unit, drain,
};

const RESET: u8 = 0x40;
const SEND_CLOCK: u8 = 0x41;
const SEND_BOARD: u8 = 0x42;
const SEND_CHANGES: u8 = 0x4B;
const SEND_SERIAL: u8 = 0x45;
const SEND_VERSION: u8 = 0x4D;

/// Interval of the questions for the id of a board without a place, in µs.
const ASK_EVERY_US: u64 = 2_000_000;
/// Interval of the questions for all squares, in µs: a dump takes 70 ms of the line.
const DUMP_EVERY_US: u64 = 1_000_000;
/// Interval of the driver's reports of its counts, in µs.
const HEALTH_EVERY_US: u64 = 10_000_000;

/// The driver of one board.
#[derive(Debug)]
pub(in crate::drivers) struct Single {
    settings: DgtSettings,
    decoder: MessageDecoder,
    board: Board,
    last_heard: LastHeard,
    clock: Clock,
    /// Squares of one dump that contradict the known ones.
    unconfirmed: Option<Squares>,
    serial: Option<String>,
    version: Option<(u8, u8)>,
    admitted: bool,
    doubt: Option<&'static str>,
    clock_absent: bool,
    rejected: u64,
    unknown: Unknown,
    to_send: VecDeque<u8>,
    outputs: VecDeque<Output>,
    ask_at: HubTime,
    dump_at: HubTime,
    health_at: HubTime,
}

impl Single {
    pub(in crate::drivers) fn new(settings: DgtSettings) -> Single {
        Single {
            settings,
            decoder: MessageDecoder::default(),
            board: Board::new(Fixed { turned: settings.reversed, mirrored: Some(false) }),
            last_heard: LastHeard::NEVER,
            clock: Clock::new(settings.clock_settings),
            unconfirmed: None,
            serial: None,
            version: None,
            admitted: false,
            doubt: None,
            clock_absent: false,
            rejected: 0,
            unknown: Unknown::default(),
            to_send: VecDeque::new(),
            outputs: VecDeque::new(),
            ask_at: HubTime::ZERO,
            dump_at: HubTime::MAX,
            health_at: HubTime::MAX,
        }
    }

    /// Asks for everything a board with a place is to say.
    fn ask_for_readings(&mut self) {
        self.to_send.extend([SEND_BOARD, SEND_CHANGES]);
        if self.settings.clock {
            self.to_send.push_back(SEND_CLOCK);
        }
    }

    fn take(&mut self, now: HubTime, message: Message) {
        if self.admitted && self.last_heard.note(now) {
            self.board.forget(true);
            self.clock.forget();
            self.unconfirmed = None;
            self.ask_for_readings();
        }
        match message {
            Message::Serial(serial) => self.meet(serial),
            Message::Version(main, sub) => self.version = Some((main, sub)),
            Message::Board(codes) if self.admitted => self.take_board(now, readings(&codes)),
            Message::Update(number, code) if self.admitted => {
                let (square, says) = (square(number), reading(code));
                if let Some(unconfirmed) = &mut self.unconfirmed {
                    unconfirmed[usize::from(square)] = says;
                }
                let news = self.board.set(square, says);
                self.tell(now, news.into_iter().collect());
            }
            Message::Clock(bytes) if self.admitted && self.settings.clock => {
                self.take_clock(now, &bytes);
            }
            Message::Unknown(number) => {
                self.report(&format!("a message of the unknown number 0x{number:02x}"))
            }
            Message::Board(_) | Message::Update(..) | Message::Clock(_) | Message::Other => {}
        }
    }

    fn meet(&mut self, serial: String) {
        let unit = Unit::ONLY;
        let other = self.serial.as_ref().is_some_and(|known| *known != serial);
        if self.admitted && other {
            let reason = format!("board dgt-{serial} answered in its place");
            self.outputs.push_back(Output::Gone { unit, reason });
        }
        if !self.admitted || other {
            let firmware =
                self.version.map_or_else(String::new, |(main, sub)| format!("{main}.{sub:02}"));
            self.outputs.push_back(Output::Present(Device {
                unit,
                id: Some(format!("dgt-{serial}")),
                firmware,
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
                clock: true,
            }));
        }
        self.serial = Some(serial);
    }

    fn take_board(&mut self, now: HubTime, squares: Squares) {
        if self.board.squares() == Some(&squares) {
            self.unconfirmed = None;
            return;
        }
        if self.unconfirmed != Some(squares) {
            self.unconfirmed = Some(squares);
            self.to_send.push_back(SEND_BOARD);
            return;
        }
        self.unconfirmed = None;
        let news = self.board.set_all(squares);
        self.tell(now, news.into_iter().collect());
    }

    fn take_clock(&mut self, now: HubTime, bytes: &[u8; 7]) {
        let message = clock::decode(bytes);
        match message {
            ClockMessage::Nothing => return,
            ClockMessage::Absent => {}
            ClockMessage::Impossible => {
                self.reject("a clock time that cannot be");
                return;
            }
            ClockMessage::Shown(shown) => match self.clock.take(shown, true) {
                Ok(news) => self.tell(now, news),
                Err(clock::ClockLineError) => {
                    self.reject("a clock that gained more than an hour");
                    self.to_send.push_back(SEND_CLOCK);
                    return;
                }
            },
        }
        self.clock_absent = message == ClockMessage::Absent;
        let absent = super::CLOCK_ABSENT;
        let doubt = self.clock_absent.then_some(absent).or(self.clock.contradiction());
        if doubt != self.doubt {
            self.doubt = doubt;
            let detail = doubt.map(str::to_owned);
            self.outputs.push_back(Output::Doubtful { unit: Unit::ONLY, detail });
        }
    }

    /// Hands readings on. The clock has the board's orientation.
    fn tell(&mut self, now: HubTime, news: Vec<ReadingKind>) {
        self.clock.turn(self.board.orientation().turned);
        self.board.tell(Unit::ONLY, now, news, &mut self.outputs);
    }

    /// Reports the message that was read last, which is not understood.
    fn report(&mut self, what: &str) {
        self.outputs.extend(self.unknown.report(what, self.decoder.shown()));
    }

    /// Handles an error of the line: perhaps a change was lost with it.
    fn reject(&mut self, reason: &str) {
        self.rejected += 1;
        self.outputs.push_back(Output::Garbled(reason.to_owned()));
    }
}

impl Driver for Single {
    fn line(&self) -> LineSettings {
        LINE
    }

    fn set_rate(&mut self, rate: f64) {
        self.last_heard.rate = rate;
    }

    fn opened(&mut self, now: HubTime) {
        self.decoder.reset();
        self.to_send = VecDeque::from([RESET, SEND_VERSION, SEND_SERIAL]);
        self.ask_at = now.plus_micros(ASK_EVERY_US);
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        let mut rejected = false;
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(message)) => {
                    self.outputs.push_back(Output::Heard(Unit::ONLY));
                    self.take(now, message);
                }
                Some(Err(error)) => {
                    rejected = true;
                    self.reject(&error.to_string());
                    if let MessageError::Length(_) = error {
                        self.report(&error.to_string());
                    }
                }
            }
        }
        if rejected && self.admitted && !self.to_send.contains(&SEND_BOARD) {
            self.to_send.push_back(SEND_BOARD);
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.to_send, out)
    }

    fn next_due(&self) -> HubTime {
        if self.admitted { self.dump_at.min(self.health_at) } else { self.ask_at }
    }

    fn poll(&mut self, now: HubTime) {
        if !self.admitted && now >= self.ask_at {
            self.ask_at = now.plus_micros(ASK_EVERY_US);
            self.to_send.extend([SEND_VERSION, SEND_SERIAL]);
        }
        if self.admitted && now >= self.dump_at {
            self.dump_at = now.plus_micros(DUMP_EVERY_US);
            self.ask_for_readings();
        }
        if self.admitted && now >= self.health_at {
            self.health_at = now.plus_micros(HEALTH_EVERY_US);
            let health =
                DeviceHealth { rejected_messages: self.rejected, ..DeviceHealth::default() };
            self.outputs.push_back(Output::Health { unit: Unit::ONLY, health });
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, _unit: Unit, memory: ConnectionState) {
        self.board.admit(memory);
        self.last_heard.forget();
        self.clock.turn(self.board.orientation().turned);
        self.clock.forget();
        self.unconfirmed = None;
        self.doubt = None;
        self.admitted = true;
        self.dump_at = self.ask_at;
        self.health_at = self.ask_at;
        self.ask_for_readings();
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        self.serial = None;
        self.board.memory()
    }

    fn silence(&self) -> &'static str {
        "nothing on this port answers as a DGT board does: check that the board is plugged in and has power"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::readings_said;

    /// All squares, with one piece on the square of this number.
    fn dump(number: usize) -> Vec<u8> {
        let mut codes = [0; 64];
        codes[number] = 1;
        [&[0x86, 0, 67][..], &codes].concat()
    }

    #[test]
    fn a_board_that_lost_its_power_for_a_moment_is_told_again_to_send_changes_and_its_clock() {
        let mut board = Single::new(DgtSettings { clock: true, ..DgtSettings::default() });
        board.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        let mut sent = [0; 16];
        board.transmit(&mut sent);
        for second in 1..4 {
            board.poll(HubTime::from_micros(second * DUMP_EVERY_US));
            let length = board.transmit(&mut sent);
            assert_eq!(sent[..length], [SEND_BOARD, SEND_CHANGES, SEND_CLOCK]);
        }
    }

    #[test]
    fn messages_that_are_not_known_are_reported_once_in_hex() {
        let mut board = Single::new(DgtSettings::default());
        for _ in 0..10 {
            board.receive(HubTime::ZERO, &[0xA3, 0, 5, 0x11, 0x22]);
            // A serial number of three characters.
            board.receive(HubTime::ZERO, &[0x91, 0, 6, 0x30, 0x2E, 0x30]);
        }
        let reports: Vec<_> = std::iter::from_fn(|| board.poll_output())
            .filter_map(|output| match output {
                Output::Unknown(words) => Some(words),
                _ => None,
            })
            .collect();
        let [unknown, length] = &reports[..] else { panic!("{reports:?}") };
        assert!(unknown.contains("0xa3: a3 00 05 11 22;"), "{unknown}");
        assert!(length.contains("6 bytes, which it cannot have: 91 00 06;"), "{length}");
    }

    #[test]
    fn a_lever_that_was_moved_while_the_board_was_silent_is_not_pressed_now() {
        let mut board = Single::new(DgtSettings { clock: true, ..DgtSettings::default() });
        board.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        // A clock that runs; the lever's other side is up after five seconds without a word.
        for (at_us, status) in [(0, 0x0B), (5_000_000, 0x11)] {
            let clock = [0x8D, 0, 10, 0, 0x04, 0x59, 0, 0x05, 0x00, status];
            board.receive(HubTime::from_micros(at_us), &clock);
        }
        let said = readings_said(&mut board);
        let presses = said.iter().filter(|(_, kind)| matches!(kind, ReadingKind::Press { .. }));
        assert_eq!(presses.count(), 0, "{said:?}");
        assert!(said.iter().any(|(_, kind)| matches!(kind, ReadingKind::Clock { .. })), "{said:?}");
    }

    #[test]
    fn what_changed_while_the_board_was_silent_does_not_happen_now() {
        let mut board = Single::new(DgtSettings::default());
        board.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        for (at_us, number) in [(0, 12), (1_000, 12), (5_000_000, 28), (5_001_000, 28)] {
            board.receive(HubTime::from_micros(at_us), &dump(number));
        }
        let said: Vec<_> = readings_said(&mut board).into_iter().map(|(_, kind)| kind).collect();
        use ReadingKind::{Gap, Snapshot};
        assert!(
            matches!(said[..], [Snapshot { .. }, Gap { lost: 0 }, Snapshot { .. }]),
            "{said:?}"
        );
    }
}
