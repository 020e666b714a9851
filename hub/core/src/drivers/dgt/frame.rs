//! Messages of DGT boards on a bus: checked by a sum, and named by the board's address.
//!
//! An answer is its type with the high bit set, its whole length and the board's address in two bytes of seven bits each, data,
//! and the sum of all bytes before it, without its high bit.

/// Bytes of an answer without its data.
const OVERHEAD_BYTES: usize = 6;
/// Maximum number of bytes of an answer: a board keeps a few thousand changes, and sends them in parts.
const FRAME_BYTES_MAX: usize = 4_096;

/// A question to one board, or to all with address 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    /// The clock's seven bytes.
    Clock = 0x81,
    /// All squares.
    Board = 0x82,
    /// Changes since they were last asked for.
    Changes = 0x83,
    /// The last answer with changes once more, whatever was answered since.
    Repeat = 0x84,
    /// "I am here", from every board of address 0 at a random moment.
    Ping = 0x87,
    /// Say nothing to the next ping.
    IgnoreNextPing = 0x8A,
    /// The board's version.
    Version = 0x8B,
}

/// A board's address on its bus: 14 bits.
pub type Address = u16;

/// The bytes of a command.
pub fn command(command: Command, address: Address) -> [u8; 4] {
    let [code, high, low] = [command as u8, (address >> 7) as u8 & 0x7F, address as u8 & 0x7F];
    [code, high, low, sum(&[code, high, low])]
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte)) & 0x7F
}

/// Type of an answer. Boards do not repeat the question's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerType {
    /// All squares.
    Board,
    /// The clock's seven bytes.
    Clock,
    /// Changes. Some boards alternate between the two types, so that a repetition differs from news.
    Changes {
        /// The second of the two types.
        even: bool,
    },
    /// "I am here".
    Ping,
    /// The board's version.
    Version,
    /// Another one.
    Other(u8),
}

impl AnswerType {
    const fn of(code: u8) -> AnswerType {
        match code {
            0x83 => AnswerType::Board,
            0x84 => AnswerType::Clock,
            0x85 => AnswerType::Changes { even: false },
            0x8B => AnswerType::Changes { even: true },
            0x87 => AnswerType::Ping,
            0x89 => AnswerType::Version,
            other => AnswerType::Other(other),
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusAnswer {
    /// Its type.
    pub what: AnswerType,
    /// Address of the board.
    pub address: Address,
    /// Its content.
    pub data: Vec<u8>,
}

/// Bytes that are no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Another answer began before this one was over.
    #[error("an answer was cut short: bytes were lost")]
    Cut,
    /// A length that no answer has.
    #[error("an answer of {0} bytes, which it cannot have")]
    Length(usize),
    /// The sum is wrong.
    #[error("an answer whose checksum is wrong")]
    Checksum,
}

/// Finds answers.
#[derive(Clone, Debug, Default)]
pub struct FrameDecoder {
    frame: Vec<u8>,
}

impl FrameDecoder {
    /// Forgets half an answer.
    pub fn reset(&mut self) {
        self.frame.clear();
    }

    /// Takes a byte: an answer or an error, if that ends one. Bytes outside an answer are passed over: boards that
    /// speak at once leave such.
    pub fn push(&mut self, byte: u8) -> Option<Result<BusAnswer, FrameError>> {
        if byte >= 0x80 {
            let cut = !self.frame.is_empty();
            self.frame.clear();
            self.frame.push(byte);
            return cut.then_some(Err(FrameError::Cut));
        }
        if self.frame.is_empty() {
            return None;
        }
        self.frame.push(byte);
        let &[_, high, low, ..] = self.frame.as_slice() else { return None };
        let length = usize::from(high) << 7 | usize::from(low);
        if !(OVERHEAD_BYTES..=FRAME_BYTES_MAX).contains(&length) {
            self.frame.clear();
            return Some(Err(FrameError::Length(length)));
        }
        if self.frame.len() < length {
            return None;
        }
        let frame = std::mem::take(&mut self.frame);
        let (&check, said) = frame.split_last()?;
        let &[code, _, _, high, low, ref data @ ..] = said else { return None };
        Some(if check == sum(said) {
            let address = u16::from(high) << 7 | u16::from(low);
            Ok(BusAnswer { what: AnswerType::of(code), address, data: data.to_vec() })
        } else {
            Err(FrameError::Checksum)
        })
    }
}

/// One thing that a board noted since it was last asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A square, a8 = 0, and what stands there.
    Square(u8, u8),
    /// The lever was pressed: the clock that was stopped by that, 0 or 1 in the order of clock messages, and its time as in
    /// these.
    Press(usize, [u8; 3]),
    /// The board was switched on, or restarted by itself.
    Restart,
    /// A note of one byte without meaning here: start position, delay since the change before, and others.
    Note(u8),
}

impl Change {
    /// Whether DGT's public documents describe this note.
    pub fn is_described(self) -> bool {
        !matches!(self, Change::Note(0x01..=0x3F | 0x7D | 0x7E))
    }
}

/// The changes of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The bytes from the first invalid one on; empty if all are valid.
    pub rest: Vec<u8>,
}

/// Reads the changes of an answer. Every byte that opens neither a square nor a press is a note by itself, as in the board's memory.
pub fn changes(data: &[u8]) -> Changes {
    let (mut changes, mut rest) = (Vec::new(), data);
    while let Some((&byte, after)) = rest.split_first() {
        let (change, after) = match (byte, after) {
            (0x40..=0x5F, [square @ 0..64, after @ ..]) => {
                (Change::Square(*square, byte & 0x0F), after)
            }
            (0x60..=0x69 | 0x70..=0x79, [minutes, seconds, after @ ..]) => {
                let index = usize::from(byte >= 0x70);
                (Change::Press(index, [byte & 0x0F, *minutes, *seconds]), after)
            }
            (0x40..=0x69 | 0x70..=0x79 | 0x80.., _) => break,
            (0x6A | 0x7C, after) => (Change::Restart, after),
            (_, after) => (Change::Note(byte), after),
        };
        changes.push(change);
        rest = after;
    }
    Changes { changes, rest: rest.to_vec() }
}

/// An answer's bytes, for tests.
#[cfg(test)]
pub(super) fn answer(code: u8, address: Address, data: &[u8]) -> Vec<u8> {
    let length = (OVERHEAD_BYTES + data.len()) as u16;
    let seven = |value: u16| [(value >> 7) as u8, value as u8 & 0x7F];
    let mut frame = vec![code];
    frame.extend(seven(length));
    frame.extend(seven(address));
    frame.extend(data);
    frame.push(sum(&frame));
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<Result<BusAnswer, FrameError>> {
        let mut decoder = FrameDecoder::default();
        bytes.iter().filter_map(|&byte| decoder.push(byte)).collect()
    }

    #[test]
    fn a_command_ends_with_the_sum_of_its_bytes() {
        assert_eq!(command(Command::Changes, 0x0123), [0x83, 0x02, 0x23, 0x28]);
    }

    #[test]
    fn answers_are_found_and_named_by_type_and_board() {
        let bytes =
            [answer(0x85, 300, &[1, 2]), answer(0x87, 5, &[]), answer(0x8B, 5, &[])].concat();
        let of = |what, address, data: &[u8]| Ok(BusAnswer { what, address, data: data.to_vec() });
        assert_eq!(
            decode(&bytes),
            [
                of(AnswerType::Changes { even: false }, 300, &[1, 2]),
                of(AnswerType::Ping, 5, &[]),
                of(AnswerType::Changes { even: true }, 5, &[]),
            ]
        );
    }

    #[test]
    fn any_garbled_byte_is_noticed() {
        let data = [0x41, 0x10, 0x60, 0x05, 0x00];
        let whole = answer(0x85, 300, &data);
        for place in 0..whole.len() {
            for bit in 0..7 {
                let mut bytes = whole.clone();
                bytes[place] ^= 1 << bit;
                let found = decode(&bytes);
                assert!(found.iter().all(Result::is_err), "{place} {bit}: {found:?}");
            }
        }
    }

    #[test]
    fn changes_are_read_in_order() {
        let data = [0x41, 28, 0x50, 12, 0x62, 0x04, 0x59, 0x7F, 0x6A];
        let read = changes(&data);
        assert_eq!(
            read.changes,
            [
                Change::Square(28, 1),
                Change::Square(12, 0),
                Change::Press(0, [2, 0x04, 0x59]),
                Change::Note(0x7F),
                Change::Restart,
            ]
        );
        assert!(read.rest.is_empty());
    }

    #[test]
    fn notes_of_one_byte_are_skipped_and_nothing_else_is_lost() {
        let plain = [0x40, 52, 0x41, 36, 0x60, 0x04, 0x58];
        for note in (0x00..0x40).chain([0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x7A, 0x7B, 0x7D, 0x7E, 0x7F])
        {
            let noted = [note, 0x40, 52, note, 0x41, 36, note, 0x60, 0x04, 0x58, note];
            let read = changes(&noted);
            let meant: Vec<_> =
                read.changes.into_iter().filter(|it| !matches!(it, Change::Note(_))).collect();
            assert_eq!((meant, read.rest), (changes(&plain).changes, Vec::new()), "{note:#04x}");
        }
    }

    #[test]
    fn changes_that_break_off_are_read_up_to_there() {
        for broken in [&[0x41_u8][..], &[0x41, 64], &[0x61, 0x00], &[0x41, 0x7F, 0x40, 1]] {
            let data = [&[0x40, 12][..], broken].concat();
            let read = changes(&data);
            assert_eq!(read.changes, [Change::Square(12, 0)], "{broken:?}");
            assert_eq!(read.rest, broken);
        }
    }
}
