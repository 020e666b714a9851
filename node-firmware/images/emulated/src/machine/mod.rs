//! The emulated boards' few devices: a clock, a tick that ends the sleep, a serial line.

#[cfg_attr(machine = "microbit", path = "microbit.rs")]
#[cfg_attr(machine = "lm3s6965evb", path = "lm3s6965evb.rs")]
mod devices;

use core::iter;

use cortex_m::peripheral::NVIC;
use node_firmware::{Line, SCAN_INTERVAL_US};
use proto::link::NodeTime;

use devices::{Devices, TICK_INTERRUPT};

/// Time between two turns of the main loop, in µs.
const TICK_US: u32 = SCAN_INTERVAL_US as u32;

/// The board this is built for.
#[derive(Debug)]
pub struct Machine {
    devices: Devices,
}

impl Machine {
    pub(crate) fn start() -> Self {
        // No handler ever runs: an interrupt only ends the sleep.
        cortex_m::interrupt::disable();
        let devices = Devices::start();
        // SAFETY: interrupts are disabled, so that this lets nothing interrupt anything.
        unsafe { NVIC::unmask(TICK_INTERRUPT) };
        Self { devices }
    }

    /// Time since the start.
    pub fn now(&mut self) -> NodeTime {
        NodeTime::from_micros(self.devices.now_us())
    }

    /// Sleeps until the next tick.
    pub fn sleep(&mut self) {
        cortex_m::asm::wfi();
        self.devices.end_tick();
        NVIC::unpend(TICK_INTERRUPT);
    }
}

impl Line for Machine {
    fn receive(&mut self, _: NodeTime, bytes: &mut [u8]) -> usize {
        let mut received = 0;
        for (place, byte) in bytes.iter_mut().zip(iter::from_fn(|| self.devices.receive())) {
            *place = byte;
            received += 1;
        }
        received
    }

    fn send(&mut self, _: NodeTime, bytes: &[u8]) -> usize {
        // The emulated lines take every byte at once.
        bytes.iter().for_each(|&byte| self.devices.send(byte));
        bytes.len()
    }
}
