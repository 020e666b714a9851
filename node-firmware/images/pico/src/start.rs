//! From reset to a node that knows who it is and where its line is.

use fugit::ExtU32 as _;
use node_firmware::{EventMemory, Identity};
use node_pins::{LED, SERIAL_STRAP};
use node_runtime::{Role, identity};
use static_cell::ConstStaticCell;

use crate::chip::hal::Watchdog;
use crate::chip::hal::clocks::init_clocks_and_plls;
use crate::chip::hal::pac;
use crate::chip::hal::rosc::RingOscillator;
use crate::chip::{self, Alarm, CRYSTAL_HZ, Timer};
use crate::image;
use crate::restart;
use crate::run::PicoLine;
use crate::uart::UartLine;
use crate::usb::UsbLine;
use crate::wires::{Output, Wires};

/// Seconds without a turn of the main loop after which the watchdog restarts the node.
const WATCHDOG_S: u32 = 1;

/// Bytes for events that are not acknowledged: some 4,000, half an hour of furious play that a hub may miss.
const EVENT_BYTES: usize = 64 * 1024;

static EVENTS: ConstStaticCell<[u8; EVENT_BYTES]> = ConstStaticCell::new([0; EVENT_BYTES]);

/// The memory of the node's events. To be called once.
///
/// # Panics
/// If it is called again.
pub fn event_memory() -> EventMemory {
    EventMemory::lent(EVENTS.take())
}

/// A Pico that has started.
pub struct Pico {
    /// Its name and its run's.
    pub identity: Identity,
    /// The pins that are left for the image.
    pub wires: Wires,
    pub(crate) timer: Timer,
    pub(crate) alarm: Alarm,
    pub(crate) watchdog: Watchdog,
    pub(crate) line: PicoLine,
    pub(crate) light: Output,
}

impl Pico {
    /// Starts clocks, pins and line. To be called once.
    ///
    /// # Panics
    /// If it is called again, or if the crystal does not start: then the Pico starts again.
    pub fn start(role: Role) -> Self {
        // No handler ever runs: an interrupt only ends the sleep.
        cortex_m::interrupt::disable();
        let Some(chip) = pac::Peripherals::take() else { panic!() };
        let number = chip::number();
        let restart = restart::reason(&chip.WATCHDOG);
        let mut identity = identity(role, number, random(chip.ROSC), restart);
        identity.firmware = image::header().firmware;
        let mut resets = chip.RESETS;
        let mut watchdog = Watchdog::new(chip.WATCHDOG);
        let clocks = init_clocks_and_plls(
            CRYSTAL_HZ,
            chip.XOSC,
            chip.CLOCKS,
            chip.PLL_SYS,
            chip.PLL_USB,
            &mut resets,
            &mut watchdog,
        );
        let Ok(clocks) = clocks else { panic!() };
        #[cfg(not(pico2))]
        let (timer, usb) = (chip.TIMER, (chip.USBCTRL_REGS, chip.USBCTRL_DPRAM));
        #[cfg(pico2)]
        let (timer, usb) = (chip.TIMER0, (chip.USB, chip.USB_DPRAM));
        let mut timer = chip::timer(timer, &mut resets, &clocks);
        let Some(alarm) = timer.alarm_0() else { panic!() };
        watchdog.start(WATCHDOG_S.secs());
        let mut wires = Wires::start(chip.IO_BANK0, chip.PADS_BANK0, chip.SIO, resets);
        let line = if wires.is_strapped(SERIAL_STRAP) {
            PicoLine::Uart(UartLine::start(chip.UART0, &mut wires))
        } else {
            let usb = (usb.0, usb.1, clocks.usb_clock);
            PicoLine::Usb(UsbLine::start(usb, &mut wires.resets, role, number))
        };
        let light = wires.output(LED, false);
        Self { identity, wires, timer, alarm, watchdog, line, light }
    }
}

/// Thirty-two bits of noise, with a pause after each: neighbouring bits are alike.
fn random(oscillator: pac::ROSC) -> u32 {
    let oscillator = RingOscillator::new(oscillator).initialize();
    (0..32).fold(0, |bits, _| {
        cortex_m::asm::delay(1_000);
        bits << 1 | u32::from(oscillator.get_random_bit())
    })
}
