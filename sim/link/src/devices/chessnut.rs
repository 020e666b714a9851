//! A Chessnut board behind its HID device: after the command for its real-time mode it reports all squares again and again, and its battery
//! when it is asked.
//!
//! # Sources
//!
//! Commands `21 01 00`, `27 01 01` and `29 01 00`, reports `01 24` with 32 bytes of squares and `2a 02` with the battery, codes of pieces, order
//! of squares and halves: the maker's `EasyLinkSDK` (`EasyLink.cpp`). Four bytes of the board's own time behind the squares, and a report about
//! every 200 ms: the public emulators of DGTCentaurMods and their clients. Reports that are filled up with zeros: HID, whose reports have one
//! size.

use std::collections::VecDeque;

use rules::Square;

use super::{Scene, SerialDevice, drain};

/// Time between two reports of the squares.
const REPORT_US: u64 = 200_000;
/// Bytes of a report with its type and length.
const REPORT_BYTES: usize = 64;
/// Maximum number of bytes that wait for the line.
const WAITING_BYTES_MAX: usize = 1_024;
/// Pieces by their codes.
const PIECES: &[u8; 13] = b".qkbpnRPrBNQK";

/// The board.
pub struct Chessnut {
    world: Box<dyn Scene>,
    reversed: bool,
    command: Vec<u8>,
    reports: bool,
    report_us: u64,
    out: VecDeque<u8>,
}

impl Chessnut {
    /// A board that lies with its first rank at White, or the other way round.
    #[must_use]
    pub fn new(world: impl Scene + 'static, reversed: bool) -> Chessnut {
        let (command, out) = (Vec::new(), VecDeque::new());
        Chessnut { world: Box::new(world), reversed, command, reports: false, report_us: 0, out }
    }

    fn send(&mut self, kind: u8, data: &[u8]) {
        if self.out.len() >= WAITING_BYTES_MAX {
            return;
        }
        let fill = REPORT_BYTES.saturating_sub(data.len() + 2);
        self.out.extend([kind, data.len() as u8]);
        self.out.extend(data);
        self.out.extend(std::iter::repeat_n(0, fill));
    }

    fn report(&mut self, at_us: u64) {
        self.world.run_until(at_us);
        let code = |number: u32| {
            let (rank, file) = (7 - number / 8, 7 - number % 8);
            let turned = if self.reversed { 63 } else { 0 };
            let piece = self.world.piece(Square::new((rank * 8 + file) ^ turned));
            let letter = piece.map_or(b'.', |piece| piece.char() as u8);
            PIECES.iter().position(|it| *it == letter).unwrap_or(0) as u8
        };
        let squares = (0..32).map(|byte| code(2 * byte) | code(2 * byte + 1) << 4);
        let time = ((at_us / 1_000_000) as u32).to_le_bytes();
        let data: Vec<u8> = squares.chain(time).collect();
        self.send(0x01, &data);
    }
}

impl SerialDevice for Chessnut {
    fn next_due_us(&self) -> u64 {
        if self.reports { self.report_us } else { u64::MAX }
    }

    fn run_until(&mut self, now_us: u64) {
        while self.report_us <= now_us {
            if self.reports {
                self.report(self.report_us);
            }
            self.report_us += REPORT_US;
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.command.push(byte);
            if let &[command, length, argument] = self.command.as_slice() {
                self.command.clear();
                match (command, length, argument) {
                    (0x21, 1, mode) => self.reports = mode == 0,
                    (0x27, 1, _) => self.send(0x28, b"\0CN_AIR_1.2"),
                    (0x29, 1, _) => self.send(0x2A, &[83, 0]),
                    _ => {}
                }
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.command.clear();
        self.reports = false;
        self.out.clear();
    }
}
