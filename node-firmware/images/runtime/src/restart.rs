//! Reason of a node's restart: kept over the reset and sent with HELLO, so that a hall learns of a fault that healed itself.

use core::panic::Location;

use crate::kept;

/// Longest place of a panic in bytes; of a longer one the end.
const PLACE_BYTES: usize = 16;

const NOTHING: u32 = 0;
const PANIC: u32 = 1;
const FAULT: u32 = 2;

/// Reason why the previous run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Power-up, or a reset that nothing announced.
    Unannounced,
    /// The node hung, and its watchdog ran out.
    Watchdog,
    /// A panic, with the end of its place: `link:231`.
    Panic {
        /// File and line.
        place: [u8; PLACE_BYTES],
    },
    /// The processor could not go on at this address.
    Fault {
        /// Address of the instruction that faulted.
        address: u32,
    },
}

/// The reason of this start, which is thereby forgotten, and how many starts there were since power-up, this one included.
pub fn take() -> (Restart, u32) {
    let [starts, reason, detail @ ..] = kept::read().unwrap_or_default();
    let starts = starts.wrapping_add(1);
    kept::write([starts, NOTHING, 0, 0, 0, 0]);
    let restart = match reason {
        PANIC => {
            let mut place = [0; PLACE_BYTES];
            for (bytes, word) in place.chunks_exact_mut(4).zip(detail) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            Restart::Panic { place }
        }
        FAULT => Restart::Fault { address: detail[0] },
        _ => Restart::Unannounced,
    };
    (restart, starts)
}

/// Keeps the place of a panic over the reset that follows.
pub fn remember_panic(location: Option<&Location<'_>>) {
    let place = location.map_or(*b"unknown         ", place);
    let word =
        |at: usize| u32::from_le_bytes([place[at], place[at + 1], place[at + 2], place[at + 3]]);
    remember(PANIC, [word(0), word(4), word(8), word(12)]);
}

/// Keeps the address of a fault over the reset that follows.
pub fn remember_fault(address: u32) {
    remember(FAULT, [address, 0, 0, 0]);
}

fn remember(reason: u32, [first, second, third, fourth]: [u32; 4]) {
    let [starts, ..] = kept::read().unwrap_or_default();
    kept::write([starts, reason, first, second, third, fourth]);
}

/// File without its folders and ending, colon, line: padded with spaces, or the end of it.
fn place(location: &Location<'_>) -> [u8; PLACE_BYTES] {
    let mut place = [b' '; PLACE_BYTES];
    let mut end = PLACE_BYTES;
    let mut prepend = |byte: u8| {
        if end > 0 {
            end -= 1;
            place[end] = byte;
        }
    };
    let mut line = location.line();
    loop {
        prepend(b'0' + (line % 10) as u8);
        line /= 10;
        if line == 0 {
            break;
        }
    }
    prepend(b':');
    let file = location.file().as_bytes();
    let file = file.strip_suffix(b".rs").unwrap_or(file);
    for &byte in file.iter().rev().take_while(|&&byte| byte != b'/' && byte != b'\\') {
        prepend(byte);
    }
    place.rotate_left(end);
    place
}
