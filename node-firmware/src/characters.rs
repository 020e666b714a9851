//! A clock's face in two rows of sixteen characters.

use proto::link::DelayKind;

use crate::face::{Face, Showing, SideFace, Told, told};
use crate::menu::MenuItem;

/// Columns of the display.
pub const CHARACTER_COLUMNS: usize = 16;
/// One row, in ASCII.
pub type Row = [u8; CHARACTER_COLUMNS];

/// Column after the last character of a time.
const TIME_END: usize = 10;
/// Column of the first character of a word.
const WORDS: usize = 11;

/// The two rows: White above, Black below.
///
/// ```text
/// >W    4:59 d  3    the side that runs, three seconds of its delay left
///  B    0:00 FLAG    a flag
/// ```
pub fn characters(face: &Face) -> [Row; 2] {
    if let Showing::Menu(item) = face.showing {
        return menu(item);
    }
    [row(face, &face.white, b'W'), row(face, &face.black, b'B')]
}

fn row(face: &Face, one: &SideFace, name: u8) -> Row {
    let mut row = [b' '; CHARACTER_COLUMNS];
    if one.runs {
        put(&mut row, 0, b">");
    }
    put(&mut row, 1, &[name]);
    put_time(&mut row, one.ms);
    let word: &[u8] = match face.showing {
        _ if one.flag => b"FLAG",
        Showing::Paused if face.lit => b"pause",
        Showing::PowerLost if face.lit => b"power",
        _ => b"",
    };
    put(&mut row, WORDS, word);
    if one.runs && one.delay_left_ms > 0 {
        put(&mut row, WORDS, b"d");
        put_number(&mut row, WORDS + 4, one.delay_left_ms.div_ceil(1000), 1);
    }
    row
}

fn put_time(row: &mut Row, ms: u32) {
    match told(ms) {
        Told::Hours(hours, minutes, seconds) => {
            put_number(row, TIME_END, seconds, 2);
            put(row, TIME_END - 3, b":");
            put_number(row, TIME_END - 3, minutes, 2);
            put(row, TIME_END - 6, b":");
            put_number(row, TIME_END - 6, hours, 1);
        }
        Told::Minutes(minutes, seconds) => {
            put_number(row, TIME_END, seconds, 2);
            put(row, TIME_END - 3, b":");
            put_number(row, TIME_END - 3, minutes, 1);
        }
        Told::Tenths(seconds, tenths) => {
            put_number(row, TIME_END, tenths, 1);
            put(row, TIME_END - 2, b".");
            put_number(row, TIME_END - 2, seconds, 1);
        }
    }
}

fn menu(item: MenuItem) -> [Row; 2] {
    let mut rows = [[b' '; CHARACTER_COLUMNS]; 2];
    let [name, value] = &mut rows;
    match item {
        MenuItem::BaseMinutes(minutes) => {
            put(name, 0, b"Base time");
            put_number(value, 4, minutes.into(), 1);
            put(value, 5, b"minutes");
        }
        MenuItem::DelaySeconds(seconds) => {
            put(name, 0, b"Delay");
            put_number(value, 4, seconds.into(), 1);
            put(value, 5, b"seconds");
        }
        MenuItem::Kind(kind) => {
            put(name, 0, b"Kind of delay");
            let word: &[u8] = match kind {
                DelayKind::Delay => b"delay",
                DelayKind::Bronstein => b"Bronstein",
                DelayKind::Increment => b"increment",
            };
            put(value, 1, word);
        }
        MenuItem::Sound(on) => {
            put(name, 0, b"Sound at flag");
            put(value, 1, if on { b"on" } else { b"off" });
        }
    }
    rows
}

fn put(row: &mut Row, at: usize, text: &[u8]) {
    for (place, &byte) in row.iter_mut().skip(at).zip(text) {
        *place = byte;
    }
}

/// Puts a number that ends before column `end`, with `digits` digits at least.
fn put_number(row: &mut Row, end: usize, number: u32, digits: u32) {
    let mut rest = number;
    for (nth, place) in row.iter_mut().take(end).rev().enumerate() {
        if rest == 0 && nth as u32 >= digits {
            return;
        }
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}
