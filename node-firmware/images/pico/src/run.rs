//! The main loop on the Pico: a turn at every beat and whenever the line stirs, sleep in between.

use cortex_m::peripheral::NVIC;
use node_firmware::{Line, MainLoop, Node, Update, Watchdog};
use node_slots::{OtherSlot, SharedFlash, shared};
use pico_flash::Flash;
use proto::link::NodeTime;
use static_cell::StaticCell;

use crate::chip::hal::pac::Interrupt;
use crate::chip::hal::timer::{Alarm as _, Instant};
use crate::chip::{TIMER_IRQ, hal};
use crate::image;
use crate::start::Pico;
use crate::uart::UartLine;
use crate::usb::UsbLine;

/// The serial line of this run: USB, or the UART (with a transceiver or without), as chosen by the strap when the node started.
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

static FLASH: StaticCell<SharedFlash<Flash>> = StaticCell::new();

/// The chip's watchdog.
struct Dog(hal::Watchdog);

impl Watchdog for Dog {
    fn feed(&mut self) {
        self.0.feed();
    }
}

impl Pico {
    /// Runs the node for ever.
    pub fn run(self, node: impl Node) -> ! {
        let Self { timer, mut alarm, watchdog, mut line, mut light, .. } = self;
        // SAFETY: interrupts are disabled: these only end the sleep.
        unsafe {
            NVIC::unmask(TIMER_IRQ);
            NVIC::unmask(Interrupt::USBCTRL_IRQ);
        }
        alarm.enable_interrupt();
        let now = || NodeTime::from_micros(timer.get_counter().ticks());
        let mut watchdog = Dog(watchdog);
        let mut main_loop = MainLoop::new(node);
        // SAFETY: interrupts are disabled, the second core sleeps, and the flash's number has been read.
        let flash = FLASH.init(shared(unsafe { Flash::new() }));
        let mut update = Update::new(OtherSlot::new(flash), image::header().name, now());
        loop {
            let next = main_loop.turn(now(), &mut line, &mut light, &mut watchdog);
            if main_loop.serve_update(now(), &mut update) {
                hal::reset();
            }
            alarm.clear_interrupt();
            NVIC::unpend(TIMER_IRQ);
            // Less than an hour ahead: it can be scheduled.
            let _ = alarm.schedule_at(Instant::from_ticks(next.as_micros()));
            NVIC::unpend(Interrupt::USBCTRL_IRQ);
            if !line.is_busy() && now() < next {
                cortex_m::asm::wfi();
            }
        }
    }
}
