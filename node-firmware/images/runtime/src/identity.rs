//! A node's identity and the reason of its start, as its first messages report them.

use core::str::FromStr;

use heapless::String;
use node_firmware::Identity;
use proto::link::{MAX_START_TEXT_BYTES, NodeId, StartReason, Started};

use crate::Restart;

/// Role of a node, the first part of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `board-` and eight digits.
    Board,
    /// `clock-` and eight digits.
    Clock,
}

/// Name (`board-` or `clock-` and the eight hexadecimal digits of `number`), why this run began, and boot id, which must not be
/// the one of an earlier start; 0 becomes 1.
pub fn identity(role: Role, number: u32, boot_id: u32, restart: Restart) -> Identity {
    let word = match role {
        Role::Board => "board-",
        Role::Clock => "clock-",
    };
    let mut name = String::<14>::new();
    // There is room for both words and eight digits.
    let _ = name.push_str(word);
    push_hexadecimal(&mut name, number);
    // Letters, digits and a hyphen are a name.
    let node_id = NodeId::from_str(&name).unwrap_or_else(|_| unreachable!());
    Identity::new(node_id, boot_id.max(1)).started(started(restart))
}

fn started(restart: Restart) -> Started {
    let mut detail = String::<MAX_START_TEXT_BYTES>::new();
    // Text beyond the limit is cut off.
    let reason = match restart {
        Restart::Unannounced => StartReason::PowerOn,
        Restart::Watchdog => StartReason::Watchdog,
        Restart::Panic { place } => {
            for byte in place.into_iter().filter(u8::is_ascii_graphic) {
                let _ = detail.push(char::from(byte));
            }
            StartReason::Panic
        }
        Restart::Fault { address } => {
            let _ = detail.push_str("fault ");
            push_hexadecimal(&mut detail, address);
            StartReason::Panic
        }
    };
    Started { reason, detail }
}

fn push_hexadecimal<const N: usize>(text: &mut String<N>, number: u32) {
    for digit in (0..8).rev().map(|place| number >> (4 * place) & 15) {
        let _ = text.push(char::from(b"0123456789abcdef"[digit as usize]));
    }
}
