//! A clock's face in two displays of four digits with seven segments and a colon.

use proto::link::DelayKind;

use crate::face::{Face, Showing, SideFace, Told, told};
use crate::menu::MenuItem;

/// Four digits: bit 0 = segment a (top), clockwise to bit 5 = f, bit 6 = g (middle). Bit 7 of the second digit is the colon.
pub type Digits = [u8; 4];

/// The colon.
pub const COLON: u8 = 0x80;

const DIGITS: [u8; 10] = [0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f];
const BLANK: u8 = 0;
const DASH: u8 = 0x40;
const A: u8 = 0x77;
const B: u8 = 0x7c;
const C: u8 = 0x58;
const D: u8 = 0x5e;
const E: u8 = 0x79;
const F: u8 = 0x71;
const G: u8 = 0x3d;
const I: u8 = 0x10;
const L: u8 = 0x38;
const N: u8 = 0x54;
const O: u8 = 0x5c;
const P: u8 = 0x73;
const R: u8 = 0x50;
const S: u8 = 0x6d;
const T: u8 = 0x78;
const U: u8 = 0x1c;
const Y: u8 = 0x6e;

/// White's display and Black's.
///
/// * A time: ` 5:00`, ` 1:30` (hours and minutes from an hour on, its colon blinking), `19:9 ` with tenths and a dark last digit.
/// * `FLAG`: this side's flag fell first; ` 0:00`: it fell second.
/// * The side that runs has a blinking colon. During a delay it shows `d` and the seconds left in between.
/// * Paused: both colons blink. After a loss of power: dashes in between.
/// * In the menu White's display names the item and Black's shows the value.
pub fn seven_segment(face: &Face) -> [Digits; 2] {
    let lit = face.lit;
    match face.showing {
        Showing::Menu(item) => menu(item),
        Showing::PowerLost if !lit => [[DASH; 4]; 2],
        Showing::PowerLost => [time(face.white.ms, true), time(face.black.ms, true)],
        Showing::Paused => [side(&face.white, lit), side(&face.black, lit)],
        Showing::Times => {
            let of = |one: &SideFace| match one.delay_left_ms {
                1.. if one.runs && !lit => delay(one.delay_left_ms),
                _ => side(one, lit || !one.runs),
            };
            [of(&face.white), of(&face.black)]
        }
    }
}

fn side(one: &SideFace, colon: bool) -> Digits {
    if one.flag { [F, L, A, G] } else { time(one.ms, colon) }
}

fn time(ms: u32, colon: bool) -> Digits {
    let colon = if colon { COLON } else { 0 };
    match told(ms) {
        Told::Hours(first, second, _) | Told::Minutes(first, second) => {
            [tens(first), ones(first) | colon, digit(second / 10), ones(second)]
        }
        // Always with its colon, which stands for the point.
        Told::Tenths(seconds, tenths) => {
            [tens(seconds), ones(seconds) | COLON, digit(tenths), BLANK]
        }
    }
}

fn delay(left_ms: u32) -> Digits {
    let seconds = left_ms.div_ceil(1000);
    [D, BLANK, tens(seconds), ones(seconds)]
}

fn menu(item: MenuItem) -> [Digits; 2] {
    match item {
        MenuItem::BaseMinutes(minutes) => [[B, A, S, E], time(u32::from(minutes) * 60_000, true)],
        MenuItem::DelaySeconds(seconds) => {
            let seconds = u32::from(seconds);
            [[D, E, L, Y], [BLANK, BLANK, tens(seconds), ones(seconds)]]
        }
        MenuItem::Kind(DelayKind::Delay) => [[T, Y, P, E], [D, E, L, BLANK]],
        MenuItem::Kind(DelayKind::Bronstein) => [[T, Y, P, E], [B, R, O, N]],
        MenuItem::Kind(DelayKind::Increment) => [[T, Y, P, E], [I, N, C, R]],
        MenuItem::Sound(true) => [[S, O, U, N], [BLANK, O, N, BLANK]],
        MenuItem::Sound(false) => [[S, O, U, N], [BLANK, O, F, F]],
    }
}

/// The last digit of a number.
fn ones(number: u32) -> u8 {
    digit(number % 10)
}

/// The digit before the last, dark if it is 0.
fn tens(number: u32) -> u8 {
    match number / 10 % 10 {
        0 => BLANK,
        tens => digit(tens),
    }
}

fn digit(value: u32) -> u8 {
    DIGITS.get(value as usize).copied().unwrap_or(DASH)
}
