//! Certabo and Tabutronic boards: lines of numbers, again and again, without being asked.
//!
//! A line is a colon, decimal numbers with spaces between them, and a line end. [RFID](rfid) boards give 320 numbers, five a
//! square; [Sentio](sentio) boards give eight, one a rank. There is no checksum: a line with another count of
//! numbers, or a number that is no byte, is passed over.

pub mod rfid;
pub mod sentio;

use super::LineSettings;

/// Numbers of an RFID board's line.
const RFID_NUMBERS: usize = 320;
/// Numbers of a Sentio board's line.
const SENTIO_NUMBERS: usize = 8;

/// Speed of the line, with DTR low.
const LINE: LineSettings = LineSettings { baud: 38_400, dtr: Some(false), rts: None };

/// A line that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Something else than digits, spaces and line ends, or a number above 255.
    #[error("a line that is not made of bytes in decimal digits")]
    Number,
    /// The line broke off, or it is none of these boards.
    #[error("a line of {0} numbers, which these boards do not send")]
    Count(usize),
}

/// Finds lines.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// None outside a line.
    numbers: Option<Vec<u8>>,
    number: Option<u16>,
}

impl Decoder {
    /// Forgets half a line.
    pub fn reset(&mut self) {
        *self = Decoder::default();
    }

    /// Takes a byte: the numbers of a line or an error, if that ends one.
    pub fn push(&mut self, byte: u8) -> Option<Result<Vec<u8>, LineError>> {
        if byte == b':' {
            let before = self.numbers.replace(Vec::new());
            self.number = None;
            return before.map(|numbers| Err(LineError::Count(numbers.len())));
        }
        let numbers = self.numbers.as_mut()?;
        match byte {
            b'0'..=b'9' => {
                let number = self.number.unwrap_or(0) * 10 + u16::from(byte - b'0');
                if number > 255 || numbers.len() == RFID_NUMBERS {
                    self.reset();
                    return Some(Err(LineError::Number));
                }
                self.number = Some(number);
                None
            }
            b' ' | b'\r' | b'\n' => {
                if let Some(number) = self.number.take() {
                    numbers.push(u8::try_from(number).unwrap_or(u8::MAX));
                }
                if byte == b' ' {
                    return None;
                }
                let numbers = self.numbers.take()?;
                let known = [RFID_NUMBERS, SENTIO_NUMBERS].contains(&numbers.len());
                Some(if known { Ok(numbers) } else { Err(LineError::Count(numbers.len())) })
            }
            _ => {
                self.reset();
                Some(Err(LineError::Number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Vec<Result<Vec<u8>, LineError>> {
        let mut decoder = Decoder::default();
        text.bytes().filter_map(|byte| decoder.push(byte)).collect()
    }

    #[test]
    fn lines_are_read_one_after_the_other() {
        let lines = decode(":255 255 0 0 0 0 255 255\r\n:0 0 0 0 0 0 0 1 \r\n");
        assert_eq!(
            lines,
            [Ok(vec![255, 255, 0, 0, 0, 0, 255, 255]), Ok(vec![0, 0, 0, 0, 0, 0, 0, 1])]
        );
    }

    #[test]
    fn a_damaged_line_costs_itself_and_no_other() {
        let lines = decode("5 5\r\n:1 2 3\r\n:1 2 256 4\r\n:1 2:0 0 0 0 0 0 0 1\r\n:1 x\r\n");
        assert_eq!(
            lines,
            [
                Err(LineError::Count(3)),
                Err(LineError::Number),
                Err(LineError::Count(1)),
                Ok(vec![0, 0, 0, 0, 0, 0, 0, 1]),
                Err(LineError::Number),
            ]
        );
    }
}
