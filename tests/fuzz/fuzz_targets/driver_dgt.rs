//! Any bytes from a DGT board in single-board mode.
#![no_main]

use hub::drivers::dgt::DgtSettings;
use hub::drivers::{DriverSettings, Unit};
use libfuzzer_sys::fuzz_target;

mod device;

fuzz_target!(|data: &[u8]| {
    let settings = DgtSettings { clock: true, ..DgtSettings::default() };
    let mut shell = device::Shell::new(&DriverSettings::Dgt(settings), Unit::ONLY);
    for chunk in data.chunks(64) {
        shell.hear(chunk);
    }
    // e4 is empty.
    shell.must_understand(&[0x8E, 0, 5, 36, 0]);
});
