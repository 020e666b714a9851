//! Millennium ChessLink: polled for its squares, it answers with the piece on each.
//!
//! The line has seven data bits and odd parity; the driver makes the parity bit itself, which looks the same on
//! the wire and works at adapters that know eight bits only. Bits that arrive are not checked for parity (an adapter may
//! have taken it off): every message ends with two check digits. Sources disagree on the order of the files; it is
//! found out from the set-up, like which way round the board lies, unless the configuration says it.
//!
//! A board also sends its squares by itself, in the maker's setting on each of its 24 scans a second. Both are read the same.

use std::collections::VecDeque;

use proto::link::HubTime;
use readings::{SensorKind, SquareReading};
use rules::{Piece, Square};

use super::board::{Board, Fixed, Squares};
use super::silence::LastHeard;
use super::unknown::Unknown;
use super::{
    BoardSenses, ConnectionState, Device, DeviceHealth, Driver, LineSettings, Output, Unit,
};

/// Interval of the polls, in µs: an answer takes 18 ms of the line, and a hand is slower than this.
const ASK_EVERY_US: u64 = 80_000;
/// Longest time of an answer, in µs.
const ANSWER_US: u64 = 500_000;
/// Interval of the driver's reports of its counts, in µs.
const HEALTH_EVERY_US: u64 = 10_000_000;
/// Command that asks for the squares, and first byte of the answer.
const ASK: u8 = b'S';
const ANSWER: u8 = b's';
/// The same of the version.
const ASK_VERSION: u8 = b'V';
const VERSION: u8 = b'v';
/// Letters between an answer's first letter and its two check digits.
const SQUARES: usize = 64;
const VERSION_DIGITS: usize = 4;
/// Characters that are kept of an answer that is not understood, to show them.
const SHOWN_MAX: usize = 80;
/// Bits of a character; the eighth is the parity.
const CHARACTER: u8 = 0x7F;

/// Settings of a ChessLink's driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChessLinkSettings {
    /// Whether the board lies the other way round; none: detected from the set-up.
    pub reversed: Option<bool>,
    /// Whether an answer has each rank's h-file first; none: detected from the set-up.
    pub h_file_first: Option<bool>,
}

/// Bytes that are no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Another answer began before this one was over.
    #[error("an answer was cut short: characters were lost")]
    Cut,
    /// Neither a piece nor an empty square.
    #[error("a character that is no piece")]
    Letter,
    /// The check digits are others.
    #[error("an answer whose check digits are wrong")]
    Check,
}

/// An answer of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChessLinkAnswer {
    /// The letters of all squares.
    Squares([u8; SQUARES]),
    /// The version of its firmware, as hexadecimal digits.
    Version([u8; VERSION_DIGITS]),
}

/// Finds answers.
#[derive(Clone, Debug, Default)]
pub struct ChessLinkDecoder {
    answer: Vec<u8>,
    /// The answer that was not understood last, as far as it came.
    shown: Vec<u8>,
}

impl ChessLinkDecoder {
    /// Forgets half an answer.
    pub fn reset(&mut self) {
        self.answer.clear();
    }

    /// Takes a byte: an answer or an error, if that ends one.
    pub fn push(&mut self, byte: u8) -> Option<Result<ChessLinkAnswer, AnswerError>> {
        let letter = byte & CHARACTER;
        if matches!(letter, ANSWER | VERSION) {
            let cut = !self.answer.is_empty();
            self.answer.clear();
            self.answer.push(letter);
            return cut.then_some(Err(AnswerError::Cut));
        }
        // Answers to nothing that we asked, line ends.
        let &first = self.answer.first()?;
        let length = if first == ANSWER { SQUARES } else { VERSION_DIGITS };
        let known = if first == ANSWER && self.answer.len() <= SQUARES {
            letter == b'.' || Piece::from_char(char::from(letter)).is_some()
        } else {
            letter.is_ascii_hexdigit()
        };
        self.answer.push(letter);
        if !known {
            self.show();
            return Some(Err(AnswerError::Letter));
        }
        if self.answer.len() < length + 3 {
            return None;
        }
        let (said, digits) = self.answer.split_at(length + 1);
        let right = check_digits(said).iter().zip(digits).all(|(a, b)| a.eq_ignore_ascii_case(b));
        let said = said.get(1..).unwrap_or_default();
        let answer = match first {
            ANSWER => said.try_into().ok().map(ChessLinkAnswer::Squares),
            _ => said.try_into().ok().map(ChessLinkAnswer::Version),
        };
        let answer = answer.filter(|_| right).ok_or(AnswerError::Check);
        if answer.is_err() {
            self.show();
        }
        self.answer.clear();
        Some(answer)
    }

    /// Keeps what was not understood.
    fn show(&mut self) {
        self.shown = std::mem::take(&mut self.answer);
        self.shown.truncate(SHOWN_MAX);
    }
}

/// The exclusive or of all characters, as two hexadecimal digits.
fn check_digits(characters: &[u8]) -> [u8; 2] {
    let check = characters.iter().fold(0, |check, character| check ^ character);
    let digit = |value: u8| b"0123456789ABCDEF".get(usize::from(value)).copied().unwrap_or(b'0');
    [digit(check >> 4), digit(check & 0x0F)]
}

/// A character with its odd parity in the eighth bit.
fn with_parity(character: u8) -> u8 {
    if character.count_ones().is_multiple_of(2) { character | 0x80 } else { character }
}

/// The bytes of a question of one letter.
fn question(letter: u8) -> impl Iterator<Item = u8> {
    std::iter::once(letter).chain(check_digits(&[letter])).map(with_parity)
}

/// The driver of one board.
#[derive(Debug)]
pub(super) struct ChessLink {
    decoder: ChessLinkDecoder,
    board: Board,
    last_heard: LastHeard,
    admitted: bool,
    /// Version of the firmware; empty until the board has sent it.
    firmware: String,
    rejected: u64,
    unknown: Unknown,
    ask_at: HubTime,
    health_at: HubTime,
    to_send: VecDeque<u8>,
    outputs: VecDeque<Output>,
}

impl ChessLink {
    pub(super) fn new(settings: ChessLinkSettings) -> ChessLink {
        let fixed = Fixed { turned: settings.reversed, mirrored: settings.h_file_first };
        ChessLink {
            decoder: ChessLinkDecoder::default(),
            board: Board::new(fixed),
            last_heard: LastHeard::NEVER,
            admitted: false,
            firmware: String::new(),
            rejected: 0,
            unknown: Unknown::default(),
            ask_at: HubTime::ZERO,
            health_at: HubTime::ZERO,
            to_send: VecDeque::new(),
            outputs: VecDeque::new(),
        }
    }

    fn ask(&mut self, now: HubTime) {
        self.to_send.extend(question(ASK));
        self.ask_at = now.plus_micros(ANSWER_US);
    }

    fn take(&mut self, now: HubTime, letters: &[u8; 64]) {
        let unit = Unit::ONLY;
        self.outputs.push_back(Output::Heard(unit));
        self.ask_at = now.plus_micros(ASK_EVERY_US);
        if !self.admitted {
            self.outputs.push_back(Output::Present(Device {
                unit,
                id: None,
                firmware: self.firmware.clone(),
                boot_id: None,
                board: Some(BoardSenses { sensor: SensorKind::PieceId, trays: false }),
                clock: false,
            }));
            // A board that is refused is not asked as often.
            self.ask_at = now.plus_micros(ANSWER_US);
            return;
        }
        if self.last_heard.note(now) {
            self.board.forget(true);
        }
        let news = self.board.compare(squares(letters));
        self.board.tell(unit, now, news, &mut self.outputs);
    }
}

/// The squares of an answer: a8 first, if files lie as they should.
fn squares(letters: &[u8; 64]) -> Squares {
    let mut squares = [SquareReading::Empty; 64];
    for (number, &letter) in (0_u32..).zip(letters) {
        if let Some(piece) = Piece::from_char(char::from(letter)) {
            squares[usize::from(Square::new(number ^ 56))] = SquareReading::Piece(piece);
        }
    }
    squares
}

impl Driver for ChessLink {
    fn line(&self) -> LineSettings {
        LineSettings { baud: 38_400, dtr: None, rts: None }
    }

    fn set_rate(&mut self, rate: f64) {
        self.last_heard.rate = rate;
    }

    fn opened(&mut self, now: HubTime) {
        self.decoder.reset();
        self.to_send.clear();
        self.firmware.clear();
        self.to_send.extend(question(ASK_VERSION));
        self.ask(now);
    }

    fn receive(&mut self, now: HubTime, bytes: &[u8]) {
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(ChessLinkAnswer::Squares(letters))) => self.take(now, &letters),
                Some(Ok(ChessLinkAnswer::Version([a, b, c, d]))) => {
                    let [a, b, c, d] = [a, b, c, d].map(char::from);
                    self.firmware = format!("{a}{b}.{c}{d}");
                }
                Some(Err(error)) => {
                    self.rejected += 1;
                    self.ask_at = now.plus_micros(ASK_EVERY_US);
                    self.outputs.push_back(Output::Garbled(error.to_string()));
                    if error != AnswerError::Cut {
                        let what = error.to_string();
                        self.outputs.extend(self.unknown.report(&what, &self.decoder.shown));
                    }
                }
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        super::drain(&mut self.to_send, out)
    }

    fn next_due(&self) -> HubTime {
        self.ask_at
    }

    fn poll(&mut self, now: HubTime) {
        if now >= self.ask_at {
            self.ask(now);
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
        self.admitted = true;
    }

    fn release(&mut self, _unit: Unit) -> ConnectionState {
        self.admitted = false;
        self.board.memory()
    }

    fn silence(&self) -> &'static str {
        "nothing on this port answers as a ChessLink does: check that the board is switched on"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::readings_said;

    const LETTERS: &[u8; 64] = b"rnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR";

    fn answer(letters: &[u8; 64]) -> Vec<u8> {
        let mut answer = vec![ANSWER];
        answer.extend(letters);
        answer.extend(check_digits(&answer.clone()));
        answer.into_iter().map(with_parity).collect()
    }

    fn decode(bytes: &[u8]) -> Vec<Result<ChessLinkAnswer, AnswerError>> {
        let mut decoder = ChessLinkDecoder::default();
        bytes.iter().filter_map(|&byte| decoder.push(byte)).collect()
    }

    #[test]
    fn the_question_carries_parity_and_check_digits() {
        // 'S' has four bits and gets a fifth; '5' has four, '3' has four.
        assert_eq!(question(ASK).collect::<Vec<_>>(), [0xD3, 0xB5, 0xB3]);
        assert!(question(ASK_VERSION).map(|byte| byte & CHARACTER).eq(*b"V56"));
    }

    #[test]
    fn an_answer_is_read_with_and_without_its_parity() {
        let bytes = answer(LETTERS);
        let bare: Vec<u8> = bytes.iter().map(|byte| byte & CHARACTER).collect();
        let squares = Ok(ChessLinkAnswer::Squares(*LETTERS));
        assert_eq!(decode(&[bytes, bare].concat()), [squares, squares]);
    }

    #[test]
    fn a_letter_that_became_another_is_noticed_and_the_next_answer_is_read() {
        let good = answer(LETTERS);
        let mut bad = good.clone();
        bad[9] = b'P';
        let cut = good[..40].to_vec();
        assert_eq!(
            decode(&[bad, cut, good].concat()),
            [
                Err(AnswerError::Check),
                Err(AnswerError::Cut),
                Ok(ChessLinkAnswer::Squares(*LETTERS))
            ]
        );
    }

    #[test]
    fn the_version_is_shown_with_the_board() {
        let mut board = ChessLink::new(ChessLinkSettings::default());
        board.opened(HubTime::ZERO);
        board.receive(HubTime::ZERO, &[b"v010C".as_slice(), &check_digits(b"v010C")].concat());
        board.receive(HubTime::ZERO, &answer(LETTERS));
        let met = std::iter::from_fn(|| board.poll_output()).find_map(|output| match output {
            Output::Present(device) => Some(device.firmware),
            _ => None,
        });
        assert_eq!(met.as_deref(), Some("01.0C"));
    }

    #[test]
    fn a_letter_that_is_no_piece_is_reported_once_with_its_answer() {
        let mut board = ChessLink::new(ChessLinkSettings::default());
        let mut strange = answer(LETTERS);
        strange[5] = with_parity(b'z');
        for _ in 0..10 {
            board.receive(HubTime::ZERO, &strange);
        }
        let reports: Vec<_> = std::iter::from_fn(|| board.poll_output())
            .filter_map(|output| match output {
                Output::Unknown(words) => Some(words),
                _ => None,
            })
            .collect();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].contains("73 72 6e 62 71 7a"), "{reports:?}");
    }

    #[test]
    fn what_changed_while_the_board_was_silent_does_not_happen_now() {
        let mut board = ChessLink::new(ChessLinkSettings::default());
        board.admit(Unit::ONLY, ConnectionState::New { resume: None, kept: None });
        board.receive(HubTime::ZERO, &answer(LETTERS));
        let mut letters = *LETTERS;
        letters.swap(52, 36);
        board.receive(HubTime::from_micros(5_000_000), &answer(&letters));
        let said: Vec<_> = readings_said(&mut board).into_iter().map(|(_, kind)| kind).collect();
        use readings::ReadingKind::{Gap, Snapshot};
        assert!(
            matches!(said[..], [Snapshot { .. }, Gap { lost: 0 }, Snapshot { .. }]),
            "{said:?}"
        );
    }
}
