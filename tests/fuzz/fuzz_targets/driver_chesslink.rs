//! Any bytes from a ChessLink, or any letters in an answer whose check digits are right.
#![no_main]

use hub::drivers::chesslink::ChessLinkSettings;
use hub::drivers::{DriverSettings, Unit};
use libfuzzer_sys::fuzz_target;

mod device;

const LETTERS: &[u8] = b".PNBRQKpnbrqk.x8";

fn answer(data: &[u8]) -> Vec<u8> {
    let mut answer = b"s".to_vec();
    let letter =
        |index: usize| data.get(index).map_or(b'.', |byte| LETTERS[usize::from(byte % 16)]);
    answer.extend((0..64).map(letter));
    let check = answer.iter().fold(0, |check, letter| check ^ letter);
    answer.extend(format!("{check:02X}").bytes());
    answer
}

fuzz_target!(|data: &[u8]| {
    let settings = DriverSettings::ChessLink(ChessLinkSettings::default());
    let mut shell = device::Shell::new(&settings, Unit::ONLY);
    for chunk in data.chunks(65) {
        match chunk {
            [0..=0x9F, data @ ..] => shell.hear(&answer(data)),
            _ => shell.hear(chunk),
        }
    }
    shell.must_understand(&answer(&[]));
});
