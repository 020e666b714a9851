//! Any bytes from a Sentio board, or any squares in a whole line.
#![no_main]

use hub::drivers::{DriverSettings, Unit};
use libfuzzer_sys::fuzz_target;

mod device;

fn line(ranks: &[u8]) -> Vec<u8> {
    let numbers: Vec<String> = ranks.iter().map(u8::to_string).collect();
    format!(":{}\r\n", numbers.join(" ")).into_bytes()
}

fuzz_target!(|data: &[u8]| {
    let settings = DriverSettings::Sentio { reversed: false };
    let mut shell = device::Shell::new(&settings, Unit::ONLY);
    for chunk in data.chunks(9) {
        match chunk {
            [0..=0x9F, ranks @ ..] => shell.hear(&line(ranks)),
            _ => shell.hear(chunk),
        }
    }
    shell.must_understand(&line(&[0; 8]));
});
