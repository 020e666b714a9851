//! Messages of a DGT board in single-board mode: found in a stream of bytes without checksums.
//!
//! A message is its number with the high bit set, its length in two bytes of seven bits (these three included), and
//! data with the high bit clear. So a byte with the high bit always begins a message: one that was cut by lost
//! bytes ends there, and the next is whole. A byte too many leaves a byte between two messages. Both are told as
//! errors; what was garbled within the right length passes, unless a value cannot be, and is put right by the next
//! board dump.

/// Maximum number of bytes of a message: the longest message of a board is its memory, which the driver never asks for.
const MESSAGE_BYTES_MAX: usize = 256;
/// Bytes of a message before its data.
const HEADER_BYTES: usize = 3;

const BOARD: u8 = 0x86;
const CLOCK: u8 = 0x8D;
const UPDATE: u8 = 0x8E;
const SERIAL: u8 = 0x91;
const VERSION: u8 = 0x93;

/// Piece on a square: 1 to 12, or 0 for none.
pub type Code = u8;
/// The highest code; 13 to 15 are pieces that signal a result.
pub(super) const CODE_MAX: Code = 15;

/// A message of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// All squares, a8 first.
    Board(Box<[Code; 64]>),
    /// The clock.
    Clock([u8; 7]),
    /// A square, a8 = 0, and what stands there.
    Update(u8, Code),
    /// The board's serial number.
    Serial(String),
    /// Main and sub number of the board's version.
    Version(u8, u8),
    /// A message of a known number that is not asked for: memory, bus address, trademark, hardware, battery, long serial number.
    Other,
    /// A message of an unknown number.
    Unknown(u8),
}

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// Another message began before this one was over.
    #[error("a message was cut short: bytes were lost")]
    Cut,
    /// Bytes between two messages.
    #[error("bytes that belong to no message")]
    Stray,
    /// A length that the message cannot have.
    #[error("a message of {0} bytes, which it cannot have")]
    Length(usize),
    /// A square, piece or digit that does not exist.
    #[error("a value that cannot be")]
    Value,
}

/// Finds messages.
#[derive(Clone, Debug, Default)]
pub struct MessageDecoder {
    message: Vec<u8>,
    /// In the middle of bytes that belong to no message.
    stray: bool,
    /// The message that ended last, understood or not, as far as it came.
    shown: Vec<u8>,
}

impl MessageDecoder {
    /// Forgets half a message.
    pub fn reset(&mut self) {
        *self = MessageDecoder::default();
    }

    /// Takes a byte: a message or an error, if that ends one.
    pub fn push(&mut self, byte: u8) -> Option<Result<Message, MessageError>> {
        if byte >= 0x80 {
            let cut = !self.message.is_empty();
            self.message.clear();
            self.message.push(byte);
            self.stray = false;
            return cut.then_some(Err(MessageError::Cut));
        }
        if self.message.is_empty() {
            return (!std::mem::replace(&mut self.stray, true)).then_some(Err(MessageError::Stray));
        }
        self.message.push(byte);
        let &[number, high, low, ref data @ ..] = self.message.as_slice() else { return None };
        let length = usize::from(high) << 7 | usize::from(low);
        if !possible(number, length) {
            self.shown = std::mem::take(&mut self.message);
            // The data of a message whose length was garbled: told once.
            self.stray = true;
            return Some(Err(MessageError::Length(length)));
        }
        if HEADER_BYTES + data.len() < length {
            return None;
        }
        let message = understand(number, data);
        self.shown = std::mem::take(&mut self.message);
        Some(message)
    }

    /// The bytes of the message that ended last.
    pub(super) fn shown(&self) -> &[u8] {
        &self.shown
    }
}

/// Whether a message may have this length.
fn possible(number: u8, length: usize) -> bool {
    match number {
        BOARD => length == 67,
        CLOCK => length == 10,
        UPDATE => length == 5,
        SERIAL => length == 8,
        VERSION => length == 5,
        _ => (HEADER_BYTES..=MESSAGE_BYTES_MAX).contains(&length),
    }
}

fn understand(number: u8, data: &[u8]) -> Result<Message, MessageError> {
    let wrong = MessageError::Value;
    match number {
        BOARD => {
            let squares: [Code; 64] = data.try_into().map_err(|_| wrong)?;
            let known = squares.iter().all(|&code| code <= CODE_MAX);
            if known { Ok(Message::Board(Box::new(squares))) } else { Err(wrong) }
        }
        CLOCK => data.try_into().map(Message::Clock).map_err(|_| wrong),
        UPDATE => match *data {
            [square @ 0..64, code @ 0..=CODE_MAX] => Ok(Message::Update(square, code)),
            _ => Err(wrong),
        },
        SERIAL => {
            let text = std::str::from_utf8(data).map_err(|_| wrong)?.trim();
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if plain { Ok(Message::Serial(text.to_owned())) } else { Err(wrong) }
        }
        VERSION => match *data {
            [main, sub] => Ok(Message::Version(main, sub)),
            _ => Err(wrong),
        },
        0x8F | 0x90 | 0x92 | 0x96 | 0xA0 | 0xA2 => Ok(Message::Other),
        unknown => Ok(Message::Unknown(unknown)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const E2_EMPTY: [u8; 5] = [UPDATE, 0, 5, 52, 0];

    fn decode(bytes: &[u8]) -> Vec<Result<Message, MessageError>> {
        let mut decoder = MessageDecoder::default();
        bytes.iter().filter_map(|&byte| decoder.push(byte)).collect()
    }

    #[test]
    fn messages_are_found_one_after_the_other() {
        let mut bytes = E2_EMPTY.to_vec();
        bytes.extend([SERIAL, 0, 8]);
        bytes.extend(b"12345");
        assert_eq!(
            decode(&bytes),
            [Ok(Message::Update(52, 0)), Ok(Message::Serial("12345".to_owned()))]
        );
    }

    #[test]
    fn a_lost_byte_costs_its_message_and_no_other() {
        for lost in 0..5 {
            let mut bytes = E2_EMPTY.to_vec();
            bytes.remove(lost);
            bytes.extend(E2_EMPTY);
            let decoded = decode(&bytes);
            assert_eq!(decoded.last(), Some(&Ok(Message::Update(52, 0))), "{lost}");
            assert_eq!(decoded.iter().filter(|said| said.is_ok()).count(), 1, "{lost}");
        }
    }

    #[test]
    fn a_byte_too_many_is_noticed() {
        let mut bytes = E2_EMPTY.to_vec();
        bytes.insert(3, 7);
        let decoded = decode(&bytes);
        assert_eq!(
            decoded,
            [Ok(Message::Update(7, 52)).and(Err(MessageError::Value)), Err(MessageError::Stray)]
        );
    }

    #[test]
    fn values_that_cannot_be_are_refused() {
        assert_eq!(decode(&[UPDATE, 0, 5, 64, 0]), [Err(MessageError::Value)]);
        assert_eq!(decode(&[UPDATE, 0, 5, 0, 16]), [Err(MessageError::Value)]);
        assert_eq!(decode(&[BOARD, 0, 66]), [Err(MessageError::Length(66))]);
        assert_eq!(decode(&[0xBF, 127, 127]), [Err(MessageError::Length(16_383))]);
        assert_eq!(decode(&[SERIAL, 0, 8, b'1', b'2', 0, 1, 2]), [Err(MessageError::Value)]);
    }
}
