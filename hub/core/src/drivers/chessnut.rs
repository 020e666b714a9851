//! Chessnut Air, Go and Pro: they know their pieces and speak USB HID. The shell opens the board's `hidraw` device; a report that is read or
//! written there is what a line carries here.
//!
//! A report is its type, the number of bytes behind these two, and the bytes; the device may fill it up with zeros. The board reports its squares
//! once it has been put into its real-time mode, and its battery when it is asked. It is asked each second, so that a board that lost its power
//! is told from one at which nobody moves. A board does not take two commands at once.
//!
//! Types, commands, the codes of pieces and the order of squares: the maker's program `EasyLinkSDK` (`EasyLink.cpp`).

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{SensorKind, SquareReading};
use rules::{Piece, Square};

use super::board::{Board, Fixed, Squares};
use super::silence::LastHeard;
use super::unknown::Unknown;
use super::{BoardSenses, ConnectionState, Device, Driver, LineSettings, Output, Unit};

/// Time between two commands, in µs: the maker's program keeps 200 ms.
const COMMAND_EVERY_US: u64 = 500_000;
/// Commands for the real-time mode, for the version, and for the battery.
const COMMANDS: [[u8; 3]; 3] = [[0x21, 0x01, 0x00], [0x27, 0x01, 0x01], [0x29, 0x01, 0x00]];
const BATTERY_COMMAND: usize = 2;
/// Maximum number of questions for the battery without squares in between: then the board has lost its mode.
const QUESTIONS_MAX: u8 = 4;
/// Types of reports: all squares, the version, the battery; and those of commands' and stored games' answers, which are skipped.
const SQUARES: u8 = 0x01;
const VERSION: u8 = 0x28;
const BATTERY: u8 = 0x2A;
const OTHER_ANSWERS: [u8; 4] = [0x22, 0x23, 0x32, 0x37];
/// Bytes of the squares in a report; the time of the board's own clock follows.
const SQUARE_BYTES: usize = 32;
/// Maximum number of bytes behind a report's type and length: a report of HID at full speed has 64.
const DATA_BYTES_MAX: usize = 62;
/// Piece on a square, by its code.
const PIECES: &[u8; 13] = b".qkbpnRPrBNQK";

/// Settings of a Chessnut's driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChessnutSettings {
    /// Whether the board lies the other way round; none: detected from the set-up.
    pub reversed: Option<bool>,
}

/// The driver of one board.
#[derive(Debug)]
pub(super) struct Chessnut {
    report: Vec<u8>,
    board: Board,
    last_heard: LastHeard,
    admitted: bool,
    firmware: String,
    unknown: Unknown,
    /// The command that is due next, and when.
    next: usize,
    /// Questions for the battery since the last squares.
    questions: u8,
    command_at: HubTime,
    to_send: Option<[u8; 3]>,
    outputs: VecDeque<Output>,
}

impl Chessnut {
    pub(super) fn new(settings: ChessnutSettings) -> Chessnut {
        Chessnut {
            report: Vec::new(),
            board: Board::new(Fixed { turned: settings.reversed, mirrored: Some(false) }),
            last_heard: LastHeard::NEVER,
            admitted: false,
            firmware: String::new(),
            unknown: Unknown::default(),
            next: 0,
            questions: 0,
            command_at: HubTime::ZERO,
            to_send: None,
            outputs: VecDeque::new(),
        }
    }

    /// Takes a whole report.
    fn take(&mut self, now: HubTime, kind: u8, data: &[u8]) {
        match kind {
            SQUARES => match data.get(..SQUARE_BYTES).and_then(squares) {
                Some(squares) => self.take_squares(now, squares),
                None => self.report_unknown("a report of squares", kind, data),
            },
            VERSION => {
                let text = data.iter().filter(|byte| byte.is_ascii_graphic());
                self.firmware = text.map(|&byte| char::from(byte)).collect();
            }
            BATTERY => self.hear(now),
            kind if OTHER_ANSWERS.contains(&kind) => {}
            _ => self.report_unknown("a report", kind, data),
        }
    }

    /// Records bytes of the board. Changes that it reports after a silence are older than that report.
    fn hear(&mut self, now: HubTime) {
        self.outputs.push_back(Output::Heard(Unit::ONLY));
        if self.last_heard.note(now) {
            self.board.forget(true);
            // It may have lost its power, and its mode with it.
            self.next = 0;
        }
    }

    fn take_squares(&mut self, now: HubTime, squares: Squares) {
        self.hear(now);
        self.questions = 0;
        if !self.admitted {
            self.outputs.push_back(Output::Present(Device {
                unit: Unit::ONLY,
                id: None,
                firmware: self.firmware.clone(),
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
                clock: false,
            }));
            return;
        }
        let news = self.board.compare(squares);
        self.board.tell(Unit::ONLY, now, news, &mut self.outputs);
    }

    fn report_unknown(&mut self, what: &str, kind: u8, data: &[u8]) {
        let what = format!("{what} of type 0x{kind:02x} that is not understood");
        self.outputs.push_back(Output::Garbled(what.clone()));
        let bytes = [&[kind, data.len() as u8], data].concat();
        self.outputs.extend(self.unknown.report(&what, &bytes));
    }
}

/// The squares of a report: rank 8 first, from the h-file on, the lower four bits first. None if a code is no piece's.
fn squares(bytes: &[u8]) -> Option<Squares> {
    let mut squares = [SquareReading::Empty; 64];
    for (number, byte) in (0_u32..).zip(bytes) {
        for (half, code) in [(0, byte & 0x0F), (1, byte >> 4)] {
            let letter = *PIECES.get(usize::from(code))?;
            let (rank, file) = (7 - number / 4, 7 - (number % 4 * 2 + half));
            if let Some(piece) = Piece::from_char(char::from(letter)) {
                squares[usize::from(Square::new(rank * 8 + file))] = SquareReading::Piece(piece);
            }
        }
    }
    Some(squares)
}

impl Driver for Chessnut {
    /// A HID device has no speed.
    fn line(&self) -> LineSettings {
        LineSettings { baud: 115_200, dtr: None, rts: None }
    }

    fn set_rate(&mut self, rate: f64) {
        self.last_heard.rate = rate;
    }

    fn opened(&mut self, now: HubTime) {
        self.report.clear();
        self.firmware.clear();
        (self.next, self.command_at, self.to_send) = (0, now, None);
        self.poll(now);
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for &byte in bytes {
            // Zeros behind a report fill it up.
            if self.report.is_empty() && byte == 0 {
                continue;
            }
            self.report.push(byte);
            let &[kind, length, ref data @ ..] = self.report.as_slice() else { continue };
            if usize::from(length) > DATA_BYTES_MAX {
                self.report.clear();
                self.outputs.push_back(Output::Garbled("a report that is too long".to_owned()));
            } else if data.len() == usize::from(length) {
                let data = data.to_vec();
                self.report.clear();
                self.take(now, kind, &data);
            }
        }
    }

    /// One command at a time: what is written at once is one report.
    fn transmit(&mut self, out: &mut [u8]) -> usize {
        let Some(command) = self.to_send.take() else { return 0 };
        match out.get_mut(..command.len()) {
            Some(place) => place.copy_from_slice(&command),
            None => {
                self.to_send = Some(command);
                return 0;
            }
        }
        command.len()
    }

    fn next_due(&self) -> HubTime {
        self.command_at
    }

    fn poll(&mut self, now: HubTime) {
        if now >= self.command_at {
            self.to_send = COMMANDS.get(self.next).copied();
            self.questions += u8::from(self.next == BATTERY_COMMAND);
            let has_squares = self.board.squares().is_some();
            let questions_max = if has_squares { QUESTIONS_MAX } else { 1 };
            self.next = (self.next + 1).min(BATTERY_COMMAND);
            // The command for the mode may have been lost, or the board was off for a moment.
            if self.questions >= questions_max {
                (self.next, self.questions) = (0, 0);
            }
            self.command_at = now.plus_micros(COMMAND_EVERY_US);
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn admit(&mut self, _unit: Unit, memory: ConnectionState) {
        self.board.admit(memory);
        self.last_heard.forget();
        self.admitted = true;
        self.next = 0;
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        self.board.memory()
    }

    fn silence(&self) -> &'static str {
        "nothing on this port reports as a Chessnut board does: check that the board is switched on, and that the port is its hidraw device"
    }
}

#[cfg(test)]
mod tests {
    use readings::ReadingKind;

    use super::*;
    use crate::drivers::readings_said;

    /// The set-up as the maker's program reads it: black rook, knight, bishop, king, queen from the h-file on, and so on.
    fn set_up() -> Vec<u8> {
        let mut report = vec![SQUARES, 0x24, 0x58, 0x23, 0x31, 0x85, 0x44, 0x44, 0x44, 0x44];
        report.extend([0; 16]);
        report.extend([0x77, 0x77, 0x77, 0x77, 0xA6, 0xC9, 0x9B, 0x6A, 1, 2, 3, 4]);
        report
    }

    fn admitted() -> Chessnut {
        let mut board = Chessnut::new(ChessnutSettings::default());
        board.opened(HubTime::ZERO);
        board.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        board
    }

    #[test]
    fn a_report_is_read_from_the_h_file_with_its_lower_half_first() {
        let mut board = admitted();
        board.receive(HubTime::ZERO, &[set_up(), vec![0; 26]].concat());
        let said = readings_said(&mut board);
        let [(_, ReadingKind::Snapshot { squares: Some(squares), .. })] = &said[..] else {
            panic!("{said:?}")
        };
        let expected = crate::drivers::board::squares(crate::drivers::board::SET_UP);
        assert_eq!(squares[..], expected[..]);
    }

    #[test]
    fn commands_are_written_one_by_one_and_the_mode_again_until_squares_come() {
        let mut board = Chessnut::new(ChessnutSettings::default());
        board.opened(HubTime::ZERO);
        let mut sent = Vec::new();
        for tick in 0..5 {
            board.poll(HubTime::from_micros(tick * COMMAND_EVERY_US));
            let mut out = [0; 64];
            assert_eq!(board.transmit(&mut out), 3);
            assert_eq!(board.transmit(&mut out[3..]), 0, "one report a write");
            sent.push(out[0]);
        }
        assert_eq!(sent, [0x21, 0x27, 0x29, 0x21, 0x27]);
    }

    #[test]
    fn the_mode_is_set_again_where_only_the_battery_answers() {
        let mut board = admitted();
        board.receive(HubTime::ZERO, &set_up());
        let mut sent = Vec::new();
        for tick in 1..=8 {
            let now = HubTime::from_micros(tick * COMMAND_EVERY_US);
            board.poll(now);
            let mut out = [0; 64];
            assert_eq!(board.transmit(&mut out), 3);
            sent.push(out[0]);
            board.receive(now, &[BATTERY, 2, 83, 0]);
        }
        assert_eq!(sent, [0x21, 0x27, 0x29, 0x29, 0x29, 0x29, 0x21, 0x27]);
    }

    #[test]
    fn what_changed_while_the_board_had_no_power_does_not_happen_now() {
        let mut board = admitted();
        board.receive(HubTime::ZERO, &set_up());
        let mut moved = set_up();
        moved[2 + 6 * 4 + 2] = 0x07;
        board.receive(HubTime::from_micros(5_000_000), &moved);
        let said: Vec<_> = readings_said(&mut board).into_iter().map(|(_, kind)| kind).collect();
        use ReadingKind::{Gap, Snapshot};
        assert!(
            matches!(said[..], [Snapshot { .. }, Gap { lost: 0 }, Snapshot { .. }]),
            "{said:?}"
        );
    }

    #[test]
    fn a_report_that_is_not_understood_is_shown_once_and_the_next_one_is_read() {
        let mut board = admitted();
        for _ in 0..5 {
            board.receive(HubTime::ZERO, &[0x5C, 0x02, 0xAB, 0xCD]);
        }
        board.receive(HubTime::ZERO, &set_up());
        let outputs: Vec<Output> = std::iter::from_fn(|| board.poll_output()).collect();
        let unknown: Vec<&String> = outputs
            .iter()
            .filter_map(|output| match output {
                Output::Unknown(words) => Some(words),
                _ => None,
            })
            .collect();
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        assert!(unknown[0].contains("5c 02 ab cd"), "{unknown:?}");
        assert!(outputs.iter().any(|output| matches!(output, Output::Readings { .. })));
    }
}
