//! A character display with an HD44780 behind a PCF8574: eight lines set by one byte over I2C.
//!
//! Lines, as these boards are wired: P0 = register select (high: a character), P1 = read, P2 = enable, P3 = back light, P4 to P7 = data
//! 4 to 7. The controller reads half a byte when enable falls. It wakes up in an unknown state. Three commands to use eight data lines
//! bring it into step from any state; the next command switches it to four.

use embedded_hal::i2c::I2c;

use crate::characters::{CHARACTER_COLUMNS, Row, characters};
use crate::face::{Face, ShowClock};
use crate::inputs::InputError;

/// Address of a PCF8574 with its address lines open, as these boards come.
pub const PCF8574_ADDRESS: u8 = 0x27;

const CHARACTER: u8 = 0x01;
const ENABLE: u8 = 0x04;
const BACK_LIGHT: u8 = 0x08;

const SET_CURSOR: u8 = 0x80;
/// Address of the second row in the display's memory.
const SECOND_ROW: u8 = 0x40;

/// From power to the first instruction, and the longest pauses after one, in µs: more than the data sheet's 40 ms, 4.1 ms
/// and 1.53 ms.
const WAKE_US: u64 = 50_000;
const EIGHT_LINES_US: u64 = 5_000;
const CLEAR_US: u64 = 2_000;
/// Pause after an error before the display is started again, in µs.
const RETRY_US: u64 = 500_000;
/// Time between two checks that the display is still connected while there is nothing to write, in µs.
pub const HD44780_CHECK_US: u64 = 500_000;

/// One instruction of waking it up.
struct Instruction {
    byte: u8,
    /// Only the upper half, as long as it may think it has eight lines.
    half: bool,
    pause_us: u64,
}

const fn instruction(byte: u8, half: bool, pause_us: u64) -> Instruction {
    Instruction { byte, half, pause_us }
}

/// Three times eight lines, then four; two rows; display off, clear, cursor to the right; display on without cursor.
const WAKE_UP: [Instruction; 9] = [
    instruction(0x30, true, EIGHT_LINES_US),
    instruction(0x30, true, EIGHT_LINES_US),
    instruction(0x30, true, EIGHT_LINES_US),
    instruction(0x20, true, EIGHT_LINES_US),
    instruction(0x28, false, 0),
    instruction(0x08, false, 0),
    instruction(0x01, false, CLEAR_US),
    instruction(0x06, false, 0),
    instruction(0x0c, false, 0),
];

/// A display of two rows. One character is written at a time: at 100 kHz, the most a PCF8574 allows, that is 0.45 ms. The controller's
/// execution time of 37 µs is over before the next.
#[derive(Debug)]
pub struct Hd44780<B> {
    bus: B,
    address: u8,
    wanted: [Row; 2],
    shown: [Row; 2],
    /// Next instruction of [`WAKE_UP`].
    woken: usize,
    /// Not before this, in µs.
    ready_us: Option<u64>,
    /// Position at which the display writes the next character; `None` if it is unknown.
    cursor: Option<(usize, usize)>,
    check_at_us: u64,
}

impl<B: I2c> Hd44780<B> {
    /// A display at an address of its bus.
    pub const fn new(bus: B, address: u8) -> Self {
        Self {
            bus,
            address,
            wanted: [[b' '; CHARACTER_COLUMNS]; 2],
            shown: [[b' '; CHARACTER_COLUMNS]; 2],
            woken: 0,
            ready_us: None,
            cursor: None,
            check_at_us: 0,
        }
    }

    fn try_step(&mut self, now_us: u64) -> Result<bool, InputError> {
        if let Some(instruction) = WAKE_UP.get(self.woken) {
            if instruction.half {
                self.send(&half(instruction.byte, 0))?;
            } else {
                self.send_byte(instruction.byte, 0)?;
            }
            self.woken += 1;
            self.ready_us = Some(now_us.saturating_add(instruction.pause_us));
            return Ok(true);
        }
        let places = (0..2).flat_map(|row| (0..CHARACTER_COLUMNS).map(move |column| (row, column)));
        let mut changed =
            places.filter(|&(row, column)| self.wanted[row][column] != self.shown[row][column]);
        let Some((row, column)) = changed.next() else {
            if now_us >= self.check_at_us {
                self.check_at_us = now_us.saturating_add(HD44780_CHECK_US);
                self.send(&[BACK_LIGHT])?;
            }
            return Ok(false);
        };
        if self.cursor != Some((row, column)) {
            let row_start = if row == 0 { 0 } else { SECOND_ROW };
            self.send_byte(SET_CURSOR | row_start | column as u8, 0)?;
            self.cursor = Some((row, column));
            return Ok(true);
        }
        let character = self.wanted[row][column];
        self.send_byte(character, CHARACTER)?;
        self.shown[row][column] = character;
        self.cursor = Some((row, column + 1));
        Ok(true)
    }

    fn send_byte(&mut self, byte: u8, select: u8) -> Result<(), InputError> {
        let [a, b] = half(byte, select);
        let [c, d] = half(byte << 4, select);
        self.send(&[a, b, c, d])
    }

    fn send(&mut self, lines: &[u8]) -> Result<(), InputError> {
        self.bus.write(self.address, lines).map_err(|_| InputError::Drive)
    }
}

/// The upper half of a byte on the lines, with enable high and then low.
const fn half(byte: u8, select: u8) -> [u8; 2] {
    let lines = byte & 0xf0 | BACK_LIGHT | select;
    [lines | ENABLE, lines]
}

impl<B: I2c> ShowClock for Hd44780<B> {
    fn show(&mut self, face: &Face) {
        self.wanted = characters(face);
    }

    fn step(&mut self, now_us: u64) -> Result<bool, InputError> {
        let ready_us = *self.ready_us.get_or_insert(now_us.saturating_add(WAKE_US));
        if now_us < ready_us {
            return Ok(self.woken < WAKE_UP.len());
        }
        let stepped = self.try_step(now_us);
        if stepped.is_err() {
            // Unplugged, or disturbed: its contents are lost.
            self.woken = 0;
            self.shown = [[b' '; CHARACTER_COLUMNS]; 2];
            self.cursor = None;
            self.ready_us = Some(now_us.saturating_add(RETRY_US));
        }
        stepped
    }
}
