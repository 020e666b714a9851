//! The main loop on the Pico: a turn at every beat and whenever the line stirs, sleep in between.

use cortex_m::peripheral::NVIC;
use node_firmware::{Line, MainLoop, Node};
use proto::link::NodeTime;
use rp2040_hal::pac::Interrupt;

use crate::start::Pico;
use crate::timer::Chip;
use crate::uart::UartLine;
use crate::usb::UsbLine;

/// The serial line of this run: USB, or the UART (with a transceiver or without), as the strap said when the node started.
pub(crate) enum PicoLine {
    Usb(UsbLine),
    Uart(UartLine),
}

impl Line for PicoLine {
    fn receive(&mut self, now: NodeTime, bytes: &mut [u8]) -> usize {
        match self {
            Self::Usb(line) => line.receive(now, bytes),
            Self::Uart(line) => line.receive(now, bytes),
        }
    }

    fn send(&mut self, now: NodeTime, bytes: &[u8]) -> usize {
        match self {
            Self::Usb(line) => line.send(bytes),
            Self::Uart(line) => line.send(now, bytes),
        }
    }
}

impl PicoLine {
    /// Whether the line needs attention at once, and the processor may not sleep.
    fn is_busy(&mut self) -> bool {
        match self {
            Self::Usb(_) => false,
            Self::Uart(line) => line.is_busy(),
        }
    }
}

impl Pico {
    /// Runs the node for ever.
    pub fn run(mut self, node: impl Node) -> ! {
        // SAFETY: interrupts are disabled: these only end the sleep.
        unsafe {
            NVIC::unmask(Interrupt::TIMER_IRQ_0);
            NVIC::unmask(Interrupt::USBCTRL_IRQ);
        }
        let mut main_loop = MainLoop::new(node);
        loop {
            let now = self.timer.now();
            let next = main_loop.turn(now, &mut self.line, &mut self.light, &mut Chip);
            self.timer.wake_at(next);
            NVIC::unpend(Interrupt::USBCTRL_IRQ);
            if !self.line.is_busy() && self.timer.now() < next {
                cortex_m::asm::wfi();
            }
        }
    }
}
