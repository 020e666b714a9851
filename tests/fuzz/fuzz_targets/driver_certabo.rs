//! Any bytes from a Certabo board, or any tags in a whole line.
#![no_main]

use hub::drivers::certabo::rfid::CertaboSettings;
use hub::drivers::{DriverSettings, Unit};
use libfuzzer_sys::fuzz_target;

mod device;

fn line(tag: impl Fn(usize) -> u8) -> Vec<u8> {
    let mut line = b":".to_vec();
    for square in 0..64 {
        let bytes = match tag(square) {
            0 => [0; 5],
            tag => [1, 2, 3, 4, tag],
        };
        line.extend(bytes.map(|byte| format!("{byte} ")).concat().bytes());
    }
    line.extend(b"\r\n");
    line
}

fuzz_target!(|data: &[u8]| {
    let settings = DriverSettings::Certabo(CertaboSettings::default());
    let mut shell = device::Shell::new(&settings, Unit::ONLY);
    for chunk in data.chunks(33) {
        match chunk {
            // Tags of the first and the last two ranks, a few lines long; of all squares; or no line at all.
            [0..=0x3F, data @ ..] => {
                let home = |square: usize| match square {
                    0..16 => data.get(square).copied().unwrap_or(0),
                    48..64 => data.get(square - 32).copied().unwrap_or(0),
                    _ => 0,
                };
                for _ in 0..4 {
                    shell.hear(&line(home));
                }
            }
            [0x40..=0x9F, data @ ..] => {
                shell.hear(&line(|square| data.get(square / 2).copied().unwrap_or(0)));
            }
            _ => shell.hear(chunk),
        }
    }
    shell.must_understand(&line(|_| 0));
});
