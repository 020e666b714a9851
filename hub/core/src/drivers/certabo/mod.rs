//! Certabo and Tabutronic boards: lines of numbers, again and again, without being asked.
//!
//! A line is a colon, decimal numbers with spaces between them, and a line end. [RFID](rfid) boards give 320 numbers, five a
//! square; [Sentio](sentio) boards give eight, one a rank. There is no checksum: a line with another count of
//! numbers, or a number that is no byte, is passed over.

mod learning;
pub mod rfid;
pub mod sentio;

use std::collections::VecDeque;

use super::unknown::Unknown;
use super::{LineSettings, Output};

/// Numbers of an RFID board's line.
const RFID_NUMBERS: usize = 320;
/// Numbers of a Sentio board's line.
const SENTIO_NUMBERS: usize = 8;

/// Speed of the line, with DTR low.
const LINE: LineSettings = LineSettings { baud: 38_400, dtr: Some(false), rts: None };

/// Characters that are kept of a line, to show them when it cannot be read.
const SHOWN_MAX: usize = 96;

/// A line that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// A byte other than digits, spaces and line ends, or a number above 255.
    #[error("a line that is not made of bytes in decimal digits")]
    Number,
    /// The line broke off, or it is none of these boards.
    #[error("a line of {0} numbers, which these boards do not send")]
    Count(usize),
}

/// Finds lines.
#[derive(Clone, Debug, Default)]
pub struct CertaboDecoder {
    /// None outside a line.
    numbers: Option<Vec<u8>>,
    number: Option<u16>,
    /// The beginning of the line, as it came.
    shown: Vec<u8>,
}

impl CertaboDecoder {
    /// Forgets half a line.
    pub fn reset(&mut self) {
        (self.numbers, self.number) = (None, None);
    }

    /// Takes a byte: the numbers of a line or an error, if that ends one.
    pub fn push(&mut self, byte: u8) -> Option<Result<Vec<u8>, LineError>> {
        if byte == b':' {
            let before = self.numbers.replace(Vec::new());
            self.number = None;
            if before.is_none() {
                self.shown = vec![byte];
            }
            return before.map(|numbers| Err(LineError::Count(numbers.len())));
        }
        let numbers = self.numbers.as_mut()?;
        if self.shown.len() < SHOWN_MAX {
            self.shown.push(byte);
        }
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

/// Reads the lines of a board, and reports those that no board of these makers sends.
#[derive(Clone, Debug, Default)]
struct Reader {
    decoder: CertaboDecoder,
    unknown: Unknown,
}

impl Reader {
    /// Forgets half a line.
    fn reset(&mut self) {
        self.decoder.reset();
    }

    /// The numbers of each line that ends among these bytes.
    fn receive(&mut self, bytes: &[u8], outputs: &mut VecDeque<Output>) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for &byte in bytes {
            match self.decoder.push(byte) {
                None => {}
                Some(Ok(numbers)) => lines.push(numbers),
                Some(Err(error)) => {
                    outputs.push_back(Output::Garbled(error.to_string()));
                    outputs.extend(self.unknown.report(&error.to_string(), &self.decoder.shown));
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_numbers_that_are_no_bytes_are_reported_once_in_hex() {
        let (mut reader, mut outputs) = (Reader::default(), VecDeque::new());
        for _ in 0..20 {
            assert!(reader.receive(b":208 0 345 1 84 0 0\r\n", &mut outputs).is_empty());
        }
        let reports: Vec<_> = outputs
            .into_iter()
            .filter_map(|it| match it {
                Output::Unknown(words) => Some(words),
                _ => None,
            })
            .collect();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].contains("3a 32 30 38 20 30 20 33 34 35"), "{reports:?}");
    }

    fn decode(text: &str) -> Vec<Result<Vec<u8>, LineError>> {
        let mut decoder = CertaboDecoder::default();
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
