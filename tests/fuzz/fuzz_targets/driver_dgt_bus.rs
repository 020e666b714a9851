//! Answers of DGT boards on a bus: any bytes, or any data in a sound answer.
#![no_main]

use hub::drivers::dgt::DgtSettings;
use hub::drivers::{DriverSettings, Unit};
use libfuzzer_sys::fuzz_target;

mod device;

fn answer(address: u16, data: &[u8]) -> Vec<u8> {
    let seven = |value: u16| [(value >> 7) as u8 & 0x7F, value as u8 & 0x7F];
    let mut frame = vec![0x85];
    frame.extend(seven(6 + data.len() as u16));
    frame.extend(seven(address));
    frame.extend(data.iter().map(|byte| byte & 0x7F));
    frame.push(frame.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte)) & 0x7F);
    frame
}

fuzz_target!(|data: &[u8]| {
    let settings = DgtSettings { clock: true, ..DgtSettings::default() };
    let mut shell = device::Shell::new(&DriverSettings::DgtBus(5, settings), Unit(5));
    // The driver polls no board until others have had time to answer a ping.
    for _ in 0..40 {
        shell.hear(&[]);
    }
    for chunk in data.chunks(80) {
        match chunk {
            // The board's own answers, another board's, or no answer at all.
            [0..=0x9F, data @ ..] => shell.hear(&answer(5, data)),
            [0xA0..=0xAF, data @ ..] => shell.hear(&answer(6, data)),
            _ => shell.hear(chunk),
        }
    }
});
