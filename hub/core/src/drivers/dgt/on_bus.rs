//! One board of a bus: the questions to it, and its answers.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{ReadingKind, SensorKind};

use super::clock::{self, Clock, ClockDisplay, ClockMessage};
use super::frame::{Address, Change, Changes, Command, changes};
use super::message::CODE_MAX;
use super::{CLOCK_ABSENT, DgtSettings, reading, readings, square};
use crate::drivers::board::{Board, Fixed};
use crate::drivers::{BoardSenses, ConnectionState, Device, Output, Unit};

/// Interval of the questions for a board's changes, in µs.
pub(super) const CHANGES_EVERY_US: u64 = 50_000;
/// Interval of the questions for a board's clock, in µs.
const CLOCK_EVERY_US: u64 = 1_000_000;
/// Interval of the questions for all squares without a loss, in µs.
const BOARD_EVERY_US: u64 = 10_000_000;
/// Interval of the questions to a board that is disconnected, or has no place, in µs.
const ASK_EVERY_US: u64 = 2_000_000;
/// The same for a board that the configuration does not know, in µs: each answer gives a notice.
const ASK_STRANGER_EVERY_US: u64 = 60_000_000;

/// Time after a request to repeat in which the same changes may arrive twice, in µs.
const LATE_US: u64 = 2_000_000;
/// Number of unanswered questions in a row, for squares or clock, after which a person is notified.
const UNANSWERED_MAX: u8 = 3;

/// Message about a board that does not answer the question for all of its squares.
const NO_BOARD: &str = "the board does not answer the request for all its squares (0x82), so none are recorded: update its firmware, or give it \
    its own line (driver = \"dgt\")";
/// The same of its clock.
const NO_CLOCK: &str = "the board does not answer the request for its clock (0x81), so the clock's times are missing: update its firmware, or \
    give it its own line (driver = \"dgt\")";

/// An answer with changes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answered {
    even: bool,
    data: Vec<u8>,
}

/// Result of an answer with changes.
pub(super) struct Taken {
    /// Whether it was understood to its end.
    pub(super) is_understood: bool,
    /// Bytes that were not understood, and what they are.
    pub(super) unknown: Vec<(String, Vec<u8>)>,
}

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
    /// Its last answer with changes, and the last one with any change in it: a repetition may be of either.
    last: Option<Answered>,
    last_told: Option<Answered>,
    /// Its answers with changes alternate between two types.
    alternates: bool,
    /// Time of the last request to repeat its changes.
    repeated_at: Option<HubTime>,
    /// Questions for squares and clock without an answer, in a row.
    unanswered: [u8; 2],
    /// Whether its changes were answered, and it has been asked nothing since.
    changes_fetched: bool,
    /// A clock message whose lever stands otherwise than the changes say: the press may be among the next ones.
    held: Option<ClockDisplay>,
    /// A press that no change noted was taken from such a message: its note may still come.
    unnoted: Option<usize>,
    clock_absent: bool,
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
            last: None,
            last_told: None,
            alternates: false,
            repeated_at: None,
            unanswered: [0; 2],
            changes_fetched: false,
            held: None,
            unnoted: None,
            clock_absent: false,
            changes_at: HubTime::ZERO,
            clock_at: HubTime::ZERO,
            board_at: HubTime::ZERO,
            ask_at: HubTime::ZERO,
            doubt: None,
        }
    }

    /// The question to ask now.
    pub(super) fn due(&self, now: HubTime) -> Option<Command> {
        if !self.admitted {
            return (self.ask_at <= now).then_some(Command::Version);
        }
        if self.silent && self.ask_at > now {
            return None;
        }
        // Changes come first: after a reading of all squares, older changes would follow.
        (self.due_at() <= now).then_some(Command::Changes)
    }

    /// The next other question, while its changes are known.
    pub(super) fn due_after_changes(&self, now: HubTime) -> Option<Command> {
        if !self.admitted || self.silent || !self.changes_fetched {
            return None;
        }
        if self.board_wanted || self.board_at <= now {
            return Some(Command::Board);
        }
        (self.settings.clock && self.clock_at <= now).then_some(Command::Clock)
    }

    /// Time of its next question.
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

    /// Its last changes are asked for again.
    pub(super) fn note_repeat(&mut self, now: HubTime) {
        self.repeated_at = Some(now);
    }

    /// Whether changes are those that it sent before, because it was asked to repeat them.
    pub(super) fn is_repeat(&self, now: HubTime, even: bool, data: &[u8]) -> bool {
        let lately = self.repeated_at.is_some_and(|at| now.micros_since(at) <= LATE_US);
        let same = |it: &Answered| it.data == data && (!self.alternates || it.even == even);
        lately && [&self.last, &self.last_told].into_iter().flatten().any(same)
    }

    /// Handles a question for squares or clock without an understood answer: it is asked again behind the next changes.
    pub(super) fn note_unanswered(
        &mut self,
        now: HubTime,
        what: Command,
        outputs: &mut VecDeque<Output>,
    ) {
        let Some(index) = index_of(what) else { return };
        self.unanswered[index] = self.unanswered[index].saturating_add(1);
        let goes_on = self.unanswered[index] < UNANSWERED_MAX;
        match what {
            Command::Board => self.board_wanted = goes_on,
            _ if goes_on => self.clock_at = now,
            _ => {}
        }
        self.tell_doubt(outputs);
    }

    /// Its changes were answered.
    pub(super) fn note_changes(&mut self, now: HubTime, outputs: &mut VecDeque<Output>) {
        self.changes_fetched = true;
        if let Some(held) = self.held.take() {
            // No note: the press itself is taken from the lever.
            let lever = self.clock.lever_moved(&held);
            if lever {
                self.unnoted = Some(self.clock.index_pressed(&held));
            }
            let news = self.clock.take(held, lever).unwrap_or_default();
            self.tell(now, news, outputs);
        }
    }

    /// Answers were lost.
    pub(super) fn lose(&mut self, now: HubTime) {
        self.board.lose();
        self.board_wanted = true;
        self.silent = true;
        self.ask_at = now.plus_micros(ASK_EVERY_US);
    }

    /// The board has its place: it is asked for everything from now on.
    pub(super) fn admit(&mut self, memory: ConnectionState) {
        self.board.admit(memory);
        self.clock.turn(self.board.orientation().turned);
        self.clock.forget();
        (self.held, self.unnoted) = (None, None);
        self.unanswered = [0; 2];
        self.admitted = true;
        self.board_wanted = true;
    }

    /// Its place is taken away; what to keep of it.
    pub(super) fn release(&mut self) -> ConnectionState {
        self.admitted = false;
        self.board.memory()
    }

    /// Handles a board's answer to a ping, with its version: two numbers, none before release 1.3, or other data of later releases.
    pub(super) fn meet(&self, data: &[u8], outputs: &mut VecDeque<Output>) {
        let firmware = match data {
            [main, sub] => format!("{main}.{sub:02}"),
            other => other.iter().map(u8::to_string).collect::<Vec<_>>().join("."),
        };
        outputs.push_back(Output::Present(Device {
            unit: self.unit,
            id: Some(format!("dgt-bus-{}", self.unit.0)),
            firmware,
            boot_id: None,
            board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
            clock: true,
        }));
    }

    /// All squares. Whether that was understood.
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
        self.unanswered[BOARD] = 0;
        self.tell_doubt(outputs);
        true
    }

    /// Handles new changes. Bytes that were not understood are lost: a gap is emitted, and all squares are asked for.
    pub(super) fn take_changes(
        &mut self,
        now: HubTime,
        even: bool,
        data: &[u8],
        outputs: &mut VecDeque<Output>,
    ) -> Taken {
        self.alternates |= even;
        let Changes { changes, rest } = changes(data);
        let answered = Answered { even, data: data.to_vec() };
        if changes.iter().any(|change| !matches!(change, Change::Note(_))) {
            self.last_told = Some(answered.clone());
        }
        self.last = Some(answered);
        let mut news = Vec::new();
        let mut unknown = Vec::new();
        for &change in &changes {
            if let Change::Note(byte) = change
                && !change.is_described()
            {
                let what = format!("the note 0x{byte:02x} among its changes");
                unknown.push((what, data.to_vec()));
            }
            news.extend(self.take_change(now, change));
        }
        if !rest.is_empty() {
            self.board.lose();
            self.board_wanted = true;
            unknown.push(("changes that break off".to_owned(), data.to_vec()));
        }
        if self.admitted {
            self.tell(now, news, outputs);
        }
        Taken { is_understood: rest.is_empty(), unknown }
    }

    fn take_change(&mut self, now: HubTime, change: Change) -> Vec<ReadingKind> {
        match change {
            Change::Square(number, code) => {
                self.board.set(square(number), reading(code)).into_iter().collect()
            }
            Change::Press(index, [hours, minutes, seconds]) => {
                // The note of a press that was taken from the lever already.
                let is_late = self.unnoted.take() == Some(index);
                if is_late || !self.settings.clock || self.board.squares().is_none() {
                    return Vec::new();
                }
                self.clock_at = now;
                self.clock.press(index, clock::time_ms(hours, minutes, seconds))
            }
            Change::Restart => {
                self.board.lose();
                self.board_wanted = true;
                Vec::new()
            }
            Change::Note(_) => Vec::new(),
        }
    }

    /// The clock's seven bytes. Whether that was understood.
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
            // The press is among the changes, unless the board had no time to note it.
            ClockMessage::Shown(shown) if self.clock.lever_moved(&shown) => {
                self.held = Some(shown);
                Vec::new()
            }
            // A rising time is believed when it comes twice.
            ClockMessage::Shown(shown) => self.clock.take(shown, false).unwrap_or_default(),
        };
        self.tell(now, news, outputs);
        self.unanswered[CLOCK] = 0;
        self.clock_absent = message == ClockMessage::Absent;
        self.tell_doubt(outputs);
        true
    }

    /// Says what is doubtful, if that is news.
    fn tell_doubt(&mut self, outputs: &mut VecDeque<Output>) {
        let unanswered = |index: usize| self.unanswered[index] >= UNANSWERED_MAX;
        let doubt = unanswered(BOARD)
            .then_some(NO_BOARD)
            .or(unanswered(CLOCK).then_some(NO_CLOCK))
            .or(self.clock_absent.then_some(CLOCK_ABSENT))
            .or(self.clock.contradiction());
        if std::mem::replace(&mut self.doubt, doubt) != doubt {
            let detail = doubt.map(str::to_owned);
            outputs.push_back(Output::Doubtful { unit: self.unit, detail });
        }
    }

    /// Hands readings on. The clock has the board's orientation.
    fn tell(&mut self, now: HubTime, news: Vec<ReadingKind>, outputs: &mut VecDeque<Output>) {
        self.clock.turn(self.board.orientation().turned);
        self.board.tell(self.unit, now, news, outputs);
    }
}

/// Indices of the counters of unanswered questions.
const BOARD: usize = 0;
const CLOCK: usize = 1;

const fn index_of(command: Command) -> Option<usize> {
    match command {
        Command::Board => Some(BOARD),
        Command::Clock => Some(CLOCK),
        _ => None,
    }
}
