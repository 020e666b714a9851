//! A DGT board with its clock, on a line of its own.
//!
//! Quirks, all of which drivers have to live with:
//!
//! * A scan takes 200 to 250 ms and looks at the squares from a8 on, so a change is told up to that much late, what goes and
//!   comes back in between is never seen, and a piece that moves up the board is seen on its new square
//!   first, on both squares for a while, and a piece that is captured on may never be seen to leave.
//! * The clock is read once a scan; it shows whole seconds, and some readings show what stood there before.
//! * Some clock messages are answers to commands nobody gave, some are all zeros.
//! * A board that loses power forgets that it was asked for changes.
//!
//! # Sources
//!
//! Questions, messages, their lengths, piece codes, the clock's seven bytes and the long serial number: DGT's protocol header of 2014, as
//! published with PicoChess (`test/dgtbrd-ruud.h`). The serial number that comes three times: the public emulator
//! `game/eboard.py` of DGTCentaurMods. Late times, acknowledgements and zeros: users' reports and the record of a real XL clock with
//! python-asyncdgt. The scan's times: DGT's documents.

use std::collections::VecDeque;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Piece, Role, Square};

use super::{Scene, SerialDevice, drain};

/// Shortest and longest scan.
const SCAN_US: std::ops::Range<u64> = 200_000..250_000;
/// The board looks at eight squares at a time.
const RANKS: u64 = 8;

/// How a release writes clock messages, and how board and clock stand on the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// The left player's time comes first.
    pub left_first: bool,
    /// The lower turn bit is the left player's.
    pub left_turn_low: bool,
    /// White sits at the left of the clock.
    pub white_left: bool,
    /// The board lies with its eighth rank at White.
    pub reversed: bool,
}

/// How often quirks happen, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DgtQuirks {
    /// Clock readings whose times are those of the reading before.
    pub late: f64,
    /// Scans with an acknowledgement among their messages.
    pub acknowledgement: f64,
    /// Scans with a clock message of zeros among their messages.
    pub zeros: f64,
}

impl Default for DgtQuirks {
    fn default() -> DgtQuirks {
        DgtQuirks { late: 0.2, acknowledgement: 0.02, zeros: 0.01 }
    }
}

/// What the board's scan and the clock's reading make of a world; for boards on a bus too.
pub(super) struct Eyes {
    pub(super) world: Box<dyn Scene>,
    pub(super) conventions: Conventions,
    quirks: DgtQuirks,
    pub(super) rng: ChaCha8Rng,
    /// As the board saw each square last, a8 first.
    pub(super) seen: [u8; 64],
    rank: u64,
    rank_us: u64,
    pub(super) look_us: u64,
    times: [[u8; 3]; 2],
}

/// What a look was about.
pub(super) struct Look {
    /// Squares that changed, a8 = 0, and what stands there.
    pub(super) changes: Vec<(u8, u8)>,
    /// The scan is over.
    pub(super) scan_is_over: bool,
}

impl Eyes {
    pub(super) fn new(
        world: Box<dyn Scene>,
        conventions: Conventions,
        quirks: DgtQuirks,
        seed: u64,
    ) -> Eyes {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rank_us = rng.random_range(SCAN_US) / RANKS;
        let mut eyes = Eyes {
            world,
            conventions,
            quirks,
            rng,
            seen: [0; 64],
            rank: 0,
            rank_us,
            look_us: 0,
            times: [[0; 3]; 2],
        };
        for number in 0..64 {
            eyes.seen[usize::from(number)] = eyes.code(number);
        }
        eyes
    }

    /// What stands on the square that the board calls `number`.
    fn code(&self, number: u8) -> u8 {
        let turned = if self.conventions.reversed { 63 } else { 0 };
        let square = Square::new(u32::from(number ^ 56 ^ turned));
        self.world.piece(square).map_or(0, code)
    }

    /// Looks at the next squares.
    pub(super) fn look(&mut self) -> Look {
        self.world.run_until(self.look_us);
        let mut changes = Vec::new();
        for number in (self.rank as u8 * 8)..(self.rank as u8 * 8 + 8) {
            let code = self.code(number);
            if std::mem::replace(&mut self.seen[usize::from(number)], code) != code {
                changes.push((number, code));
            }
        }
        self.rank = (self.rank + 1) % RANKS;
        let scan_is_over = self.rank == 0;
        if scan_is_over {
            self.rank_us = self.rng.random_range(SCAN_US) / RANKS;
        }
        self.look_us += self.rank_us;
        Look { changes, scan_is_over }
    }

    /// Whether the right player's side of the lever is up.
    pub(super) fn right_up(&self) -> bool {
        self.world.white_down() == self.white_left()
    }

    fn white_left(&self) -> bool {
        self.conventions.white_left != self.conventions.reversed
    }

    /// The times in a message's order.
    pub(super) fn times(&self) -> [[u8; 3]; 2] {
        let white_first = self.white_left() == self.conventions.left_first;
        let order =
            if white_first { [Color::White, Color::Black] } else { [Color::Black, Color::White] };
        order.map(|color| time_bytes(self.world.left_us(color)))
    }

    /// The clock's seven bytes; some of the times are late.
    pub(super) fn clock(&mut self) -> [u8; 7] {
        let late = self.rng.random_bool(self.quirks.late);
        let times = self.times();
        let shown = if late && self.times != [[0; 3]; 2] { self.times } else { times };
        self.times = times;
        let running = self.world.running().is_some();
        let right_up = self.right_up();
        let mut status = 0;
        for (bit, on) in [
            (0, running),
            (1, right_up),
            (3, running && right_up != self.conventions.left_turn_low),
            (4, running && right_up == self.conventions.left_turn_low),
        ] {
            status |= u8::from(on) << bit;
        }
        let [[h0, m0, s0], [h1, m1, s1]] = shown;
        [h0, m0, s0, h1, m1, s1, status]
    }
}

/// A piece's number.
fn code(piece: Piece) -> u8 {
    let role = match piece.role {
        Role::Pawn => 1,
        Role::Rook => 2,
        Role::Knight => 3,
        Role::Bishop => 4,
        Role::Queen => 6,
        Role::King => 5,
    };
    if piece.color.is_white() { role } else { role + 6 }
}

/// A time as the clock shows it, with its flag.
fn time_bytes(left_us: u64) -> [u8; 3] {
    let seconds = left_us / 1_000_000;
    let digits = |value: u64| (((value / 10) << 4) | (value % 10)) as u8;
    let flag = if left_us == 0 { 0x50 } else { 0 };
    [(seconds / 3_600).min(9) as u8 | flag, digits(seconds / 60 % 60), digits(seconds % 60)]
}

/// The board.
pub struct Dgt {
    eyes: Eyes,
    serial: [u8; 5],
    sends_changes: bool,
    told: Option<[u8; 7]>,
    out: VecDeque<u8>,
}

impl Dgt {
    /// A board of this serial number.
    #[must_use]
    pub fn new(
        world: impl Scene + 'static,
        serial: [u8; 5],
        conventions: Conventions,
        quirks: DgtQuirks,
        seed: u64,
    ) -> Dgt {
        let eyes = Eyes::new(Box::new(world), conventions, quirks, seed);
        Dgt { eyes, serial, sends_changes: false, told: None, out: VecDeque::new() }
    }

    fn send(&mut self, number: u8, data: &[u8]) {
        let length = data.len() + 3;
        self.out.extend([number, (length >> 7) as u8, length as u8 & 0x7F]);
        self.out.extend(data);
    }

    /// It does not know what it said before.
    fn restart(&mut self) {
        self.sends_changes = false;
        self.told = None;
        self.eyes.times = [[0; 3]; 2];
    }

    fn send_clock(&mut self) {
        let clock = self.eyes.clock();
        if self.told.replace(clock) != Some(clock) {
            self.send(0x8D, &clock);
        }
    }
}

impl SerialDevice for Dgt {
    fn next_due_us(&self) -> u64 {
        self.eyes.look_us
    }

    fn run_until(&mut self, now_us: u64) {
        while self.eyes.look_us <= now_us {
            let Look { changes, scan_is_over } = self.eyes.look();
            if !self.sends_changes {
                continue;
            }
            for (number, code) in changes {
                self.send(0x8E, &[number, code]);
            }
            if scan_is_over {
                let quirks = self.eyes.quirks;
                if self.eyes.rng.random_bool(quirks.acknowledgement) {
                    self.send(0x8D, &[0x0A, 0x10, 0x01, 0x0A, 0x00, 0x00, 0x01]);
                }
                if self.eyes.rng.random_bool(quirks.zeros) {
                    self.send(0x8D, &[0; 7]);
                }
                self.send_clock();
            }
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                0x40 => self.restart(),
                0x41 => {
                    self.told = None;
                    self.send_clock();
                }
                0x42 => {
                    let seen = self.eyes.seen;
                    self.send(0x86, &seen);
                }
                0x43 | 0x4B => self.sends_changes = true,
                0x45 => {
                    let serial = self.serial;
                    self.send(0x91, &serial);
                }
                0x55 => {
                    // The long one: ten digits, the short one at their end.
                    let mut serial = *b"3000000000";
                    serial[5..].copy_from_slice(&self.serial);
                    self.send(0xA2, &serial);
                }
                0x4D => self.send(0x93, &[1, 7]),
                _ => {}
            }
        }
    }

    fn transmit(&mut self, out: &mut [u8]) -> usize {
        drain(&mut self.out, out)
    }

    fn power_off(&mut self) {
        self.restart();
        self.out.clear();
    }
}
