//! From reset to a node that knows who it is and where its line is.

use node_firmware::Identity;
use node_pins::{LED, SERIAL_STRAP};
use node_runtime::{Role, identity};

use crate::register::Register;
use crate::run::PicoLine;
use crate::timer::Timer;
use crate::uart::UartLine;
use crate::usb::UsbLine;
use crate::wires::{Output, Wires};
use crate::{clocks, flash_id, restart};

/// A bit of the ring oscillator's noise.
const RANDOM_BIT: Register = Register::at(0x4006_001c);

/// A Pico that has started.
pub struct Pico {
    /// Its name and its run's.
    pub identity: Identity,
    /// The pins that are left for the image.
    pub wires: Wires,
    pub(crate) timer: Timer,
    pub(crate) line: PicoLine,
    pub(crate) light: Output,
}

impl Pico {
    /// Starts clocks, pins and line. To be called once.
    ///
    /// # Panics
    /// If it is called again: then the Pico starts anew.
    pub fn start(role: Role) -> Self {
        // No handler ever runs: an interrupt only ends the sleep.
        cortex_m::interrupt::disable();
        let number = flash_id::read();
        let identity = identity(role, number, random(), restart::reason());
        clocks::start();
        let timer = Timer::start();
        let mut wires = Wires::start();
        let line = if wires.is_strapped(SERIAL_STRAP) {
            PicoLine::Uart(UartLine::start(&mut wires))
        } else {
            PicoLine::Usb(UsbLine::start(role, number))
        };
        let light = wires.output(LED, false);
        Self { identity, wires, timer, line, light }
    }
}

/// Thirty-two bits of noise, with a pause after each: neighbouring bits are alike.
fn random() -> u32 {
    (0..32).fold(0, |bits, _| {
        cortex_m::asm::delay(1_000);
        bits << 1 | RANDOM_BIT.read() & 1
    })
}
