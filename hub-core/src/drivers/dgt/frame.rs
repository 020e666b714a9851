//! Messages of DGT boards on a bus: checked by a sum, and named by the board's address.
//!
//! An answer is a byte with the high bit set, its whole length and the board's address in two bytes of seven bits each, data,
//! and the sum of all bytes before it, without its high bit. What an answer is follows from what was asked; its first byte is
//! not relied on.

/// Bytes of an answer without its data.
const OVERHEAD_BYTES: usize = 6;
/// Most bytes of an answer: a board keeps a few thousand changes, and sends them in parts.
const FRAME_BYTES_MAX: usize = 4_096;

/// What is asked of one board, or of all with address 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Command {
    /// The clock's seven bytes.
    Clock = 0x81,
    /// All squares.
    Board = 0x82,
    /// Changes since they were last asked for.
    Changes = 0x83,
    /// The last answer once more.
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

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of which board.
    pub address: Address,
    /// What it says.
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
pub struct Decoder {
    frame: Vec<u8>,
}

impl Decoder {
    /// Forgets half an answer.
    pub fn reset(&mut self) {
        self.frame.clear();
    }

    /// Takes a byte: an answer or an error, if that ends one. Bytes outside an answer are passed over: boards that
    /// speak at once leave such.
    pub fn push(&mut self, byte: u8) -> Option<Result<Answer, FrameError>> {
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
        let &[_, _, _, high, low, ref data @ ..] = said else { return None };
        Some(if check == sum(said) {
            let address = u16::from(high) << 7 | u16::from(low);
            Ok(Answer { address, data: data.to_vec() })
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
    /// The board was switched on, or started itself anew.
    Restart,
    /// A note without meaning here.
    Note,
}

/// The changes in an answer; none if they cannot be understood to the end.
pub fn changes(data: &[u8]) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut bytes = data.iter().copied();
    while let Some(byte) = bytes.next() {
        changes.push(match byte {
            0x40..=0x5F => Change::Square(bytes.next().filter(|&square| square < 64)?, byte & 0x0F),
            0x60..=0x69 | 0x70..=0x79 => Change::Press(
                usize::from(byte >= 0x70),
                [byte & 0x0F, bytes.next()?, bytes.next()?],
            ),
            0x6A | 0x7C => Change::Restart,
            0x6B..=0x6F | 0x7A..=0x7F => Change::Note,
            _ => return None,
        });
    }
    Some(changes)
}

/// An answer's bytes, for tests.
#[cfg(test)]
pub(super) fn answer(address: Address, data: &[u8]) -> Vec<u8> {
    let length = (OVERHEAD_BYTES + data.len()) as u16;
    let seven = |value: u16| [(value >> 7) as u8, value as u8 & 0x7F];
    let mut frame = vec![0x85];
    frame.extend(seven(length));
    frame.extend(seven(address));
    frame.extend(data);
    frame.push(sum(&frame));
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<Result<Answer, FrameError>> {
        let mut decoder = Decoder::default();
        bytes.iter().filter_map(|&byte| decoder.push(byte)).collect()
    }

    #[test]
    fn a_command_ends_with_the_sum_of_its_bytes() {
        assert_eq!(command(Command::Changes, 0x0123), [0x83, 0x02, 0x23, 0x28]);
    }

    #[test]
    fn answers_are_found_and_named_by_their_board() {
        let bytes = [answer(300, &[1, 2]), answer(5, &[])].concat();
        assert_eq!(
            decode(&bytes),
            [
                Ok(Answer { address: 300, data: vec![1, 2] }),
                Ok(Answer { address: 5, data: Vec::new() })
            ]
        );
    }

    #[test]
    fn any_garbled_byte_is_noticed() {
        let whole = answer(300, &[0x41, 0x10, 0x60, 0x05, 0x00]);
        for place in 0..whole.len() {
            for bit in 0..7 {
                let mut bytes = whole.clone();
                bytes[place] ^= 1 << bit;
                let good = Ok(Answer { address: 300, data: vec![0x41, 0x10, 0x60, 0x05, 0x00] });
                // The first byte's number is not relied on, but it is in the sum.
                assert!(!decode(&bytes).contains(&good), "{place} {bit}");
            }
        }
    }

    #[test]
    fn changes_are_read_in_order() {
        let data = [0x41, 28, 0x50, 12, 0x62, 0x04, 0x59, 0x7F, 0x6A];
        assert_eq!(
            changes(&data),
            Some(vec![
                Change::Square(28, 1),
                Change::Square(12, 0),
                Change::Press(0, [2, 0x04, 0x59]),
                Change::Note,
                Change::Restart,
            ])
        );
    }

    #[test]
    fn changes_that_break_off_are_not_believed() {
        for broken in [&[0x41_u8][..], &[0x41, 64], &[0x61, 0x00], &[0x00], &[0x3F, 1]] {
            assert_eq!(changes(broken), None, "{broken:?}");
        }
    }
}
