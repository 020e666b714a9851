//! Results of a run: bytes on the line, USB traffic before them, pins that changed.

use proto::link::{Decoder, Frame, FrameError};

/// State in which the chip holds a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Driven low.
    Low,
    /// Driven high.
    High,
    /// Not driven.
    Released,
}

/// A watched pin changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Time in ns since power-up.
    pub at_ns: u64,
    /// GPIO number.
    pub gpio: u8,
    /// State of the pin from this time on.
    pub level: Level,
}

/// A run of an image. Times in ns since power-up.
#[derive(Debug, Default)]
pub struct Seen {
    /// Pieces of the line's bytes, as they were sent.
    pub pieces: Vec<(u64, Vec<u8>)>,
    /// Requests at endpoint 0 with the device's answers, and its address after them.
    pub requests: Vec<(Vec<u8>, Vec<u8>, u8)>,
    /// Watched pins that changed.
    pub edges: Vec<Edge>,
    /// Writes on the two-wire bus: the address, and the bytes.
    pub writes: Vec<(u8, Vec<u8>)>,
    /// Bytes of the stack that were used at most.
    pub stack_bytes: u32,
    /// Whether the node has restarted itself, which ends a run.
    pub was_reset: bool,
}

impl Seen {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut seen = Self::default();
        let mut ended = false;
        for line in text.lines() {
            let wrong = || format!("the emulator said {line:?}");
            let words: Vec<&str> = line.split(' ').collect();
            let (&[at, what, first], rest) = words.split_first_chunk().ok_or_else(wrong)?;
            let at = at.parse().map_err(|_| wrong())?;
            match (what, rest) {
                ("bytes", []) => seen.pieces.push((at, bytes(first).ok_or_else(wrong)?)),
                ("usb", [answer, address]) => {
                    let answer = if *answer == "-" { "" } else { answer };
                    let request = bytes(first).zip(bytes(answer)).zip(address.parse().ok());
                    let ((setup, answer), address) = request.ok_or_else(wrong)?;
                    seen.requests.push((setup, answer, address));
                }
                ("pin", [level]) => {
                    let gpio = first.parse().map_err(|_| wrong())?;
                    let level = match *level {
                        "low" => Level::Low,
                        "high" => Level::High,
                        _ => Level::Released,
                    };
                    seen.edges.push(Edge { at_ns: at, gpio, level });
                }
                ("i2c", [written]) => {
                    let address = first.parse().map_err(|_| wrong())?;
                    seen.writes.push((address, bytes(written).ok_or_else(wrong)?));
                }
                ("end" | "reset", []) => {
                    seen.was_reset = what == "reset";
                    seen.stack_bytes = first.parse().map_err(|_| wrong())?;
                    ended = true;
                }
                _ => return Err(wrong()),
            }
        }
        if ended { Ok(seen) } else { Err("the emulator did not come to the end".to_owned()) }
    }

    /// The frames on the line, each with the time at which its first byte was sent.
    #[must_use]
    pub fn frames(&self) -> Vec<(u64, Result<Frame, FrameError>)> {
        let mut decoder = Decoder::new();
        let mut frames = Vec::new();
        let mut began = None;
        for (at, piece) in &self.pieces {
            for &byte in piece {
                if byte != 0 {
                    began.get_or_insert(*at);
                }
                if let Some(frame) = decoder.push(byte) {
                    frames.push((began.take().unwrap_or(*at), frame));
                }
            }
        }
        frames
    }
}

fn bytes(hexadecimal: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hexadecimal
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
