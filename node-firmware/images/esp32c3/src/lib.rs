//! The ESP32-C3 as a node: its pins, its USB port, its watchdog and the main loop. Each image adds its wiring: see `src/bin`.
//!
//! The chip's own USB port is the line: it is a serial port without any code here, and its number is the chip's.
#![no_std]

use core::convert::Infallible;
use core::panic::PanicInfo;

use embedded_hal::digital::{ErrorType, OutputPin};
use esp_hal::Blocking;
use esp_hal::clock::CpuClock;
use esp_hal::efuse::base_mac_address;
use esp_hal::gpio::{AnyPin, DriveMode, InputConfig, Level, OutputConfig, Pull};
use esp_hal::peripherals::{RTC_TIMER, USB_DEVICE};
use esp_hal::rng::Rng;
use esp_hal::rtc_cntl::{Rtc, RwdtStage, SocResetReason};
use esp_hal::system::{reset_reason, software_reset};
use esp_hal::time::{Duration, Instant};
use esp_hal::usb::usb_serial_jtag::UsbSerialJtag;
use node_firmware::{EventMemory, Identity, Line, MainLoop, Node};
use node_pins::esp32c3::LED;
use node_runtime::{Restart, Role, identity, remember_panic, take};
use proto::link::NodeTime;
use static_cell::ConstStaticCell;

/// An input with a pull-up: low while a contact to ground is closed.
pub type Input = esp_hal::gpio::Input<'static>;
/// A driven pin, or one that is driven low or released.
pub type Output = esp_hal::gpio::Output<'static>;
/// Waits by the chip's timer.
pub type Pause = esp_hal::delay::Delay;

/// Time without a turn of the main loop after which the watchdog restarts the node.
const WATCHDOG: Duration = Duration::from_secs(1);
/// Time until a strap's pin has its level, µs.
const STRAP_SETTLE_US: u32 = 100;
/// Bytes for events that are not acknowledged: some 4,000, half an hour of furious play that a hub may miss.
const EVENT_BYTES: usize = 64 * 1024;
/// Bytes that the USB port takes at once.
const PACKET_BYTES: usize = 64;

static EVENTS: ConstStaticCell<[u8; EVENT_BYTES]> = ConstStaticCell::new([0; EVENT_BYTES]);

/// The memory of the node's events. To be called once.
///
/// # Panics
/// If it is called again.
pub fn event_memory() -> EventMemory {
    EventMemory::lent(EVENTS.take())
}

/// A chip that has started.
pub struct Chip {
    /// Its name and its run's.
    pub identity: Identity,
    line: UsbLine,
    watchdog: Dog,
    light: Light,
    /// One bit for each pin that an image may still take.
    free: u32,
}

impl Chip {
    /// Starts clocks, line and watchdog. To be called once.
    ///
    /// # Panics
    /// If it is called again.
    pub fn start(role: Role) -> Self {
        let chip = esp_hal::init(esp_hal::Config::default().with_cpu_clock(CpuClock::max()));
        let restart = match take() {
            (Restart::Unannounced, _) if is_by_watchdog() => Restart::Watchdog,
            (reason, _) => reason,
        };
        let identity = identity(role, number(), Rng::new().random(), restart);
        let (watchdog, line) = (Dog::start(chip.RTC_TIMER), UsbLine::start(chip.USB_DEVICE));
        // GPIO 11 to 17 belong to the flash chip, 18 and 19 to USB.
        let mut started =
            Self { identity, line, watchdog, light: Light(None), free: 0x003f_ffff & !0x000f_f800 };
        started.light = Light(Some(started.output(LED, true)));
        started
    }

    /// # Panics
    /// If the pin is already in use, which the table of wires forbids.
    fn take(&mut self, gpio: u8) -> AnyPin<'static> {
        assert!(self.free >> gpio & 1 == 1);
        self.free &= !(1 << gpio);
        // SAFETY: `start` lets go of all pins, and each is made once.
        unsafe { AnyPin::steal(gpio) }
    }

    /// Takes a pin as an input.
    ///
    /// # Panics
    /// If it is already in use, which the table of wires forbids.
    pub fn input(&mut self, gpio: u8) -> Input {
        Input::new(self.take(gpio), InputConfig::default().with_pull(Pull::Up))
    }

    /// Takes a pin as an output with this level at first.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn output(&mut self, gpio: u8, high: bool) -> Output {
        Output::new(self.take(gpio), Level::from(high), OutputConfig::default())
    }

    /// Takes a pin as a released open-drain output with a pull-up.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn open_drain(&mut self, gpio: u8) -> Output {
        let config =
            OutputConfig::default().with_drive_mode(DriveMode::OpenDrain).with_pull(Pull::Up);
        Output::new(self.take(gpio), Level::High, config)
    }

    /// Whether this strap joins its pin to ground.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn is_strapped(&mut self, gpio: u8) -> bool {
        let pin = self.input(gpio);
        Pause::new().delay_micros(STRAP_SETTLE_US);
        pin.is_low()
    }

    /// Runs the node for ever. The chip does not sleep between two turns: it has a supply of its own.
    pub fn run(self, node: impl Node) -> ! {
        let Self { mut line, mut watchdog, mut light, .. } = self;
        let mut main_loop = MainLoop::new(node);
        loop {
            let now = NodeTime::from_micros(Instant::now().duration_since_epoch().as_micros());
            main_loop.turn(now, &mut line, &mut light, &mut watchdog);
        }
    }
}

/// The low half of the chip's MAC address, which differs most from chip to chip.
fn number() -> u32 {
    let mac = base_mac_address();
    mac.as_bytes().iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn is_by_watchdog() -> bool {
    matches!(reset_reason(), Some(SocResetReason::SysRtcWdt | SocResetReason::CoreRtcWdt))
}

/// The chip's watchdog.
struct Dog(Rtc<'static>);

impl Dog {
    fn start(timer: RTC_TIMER<'static>) -> Self {
        let mut rtc = Rtc::new(timer);
        rtc.rwdt.enable();
        rtc.rwdt.set_timeout(RwdtStage::Stage0, WATCHDOG);
        Self(rtc)
    }
}

impl node_firmware::Watchdog for Dog {
    fn feed(&mut self) {
        self.0.rwdt.feed();
    }
}

/// The light of the usual modules, which is lit by a low level.
struct Light(Option<Output>);

impl ErrorType for Light {
    type Error = Infallible;
}

impl OutputPin for Light {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.as_mut().map_or(Ok(()), OutputPin::set_high)
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.as_mut().map_or(Ok(()), OutputPin::set_low)
    }
}

/// The chip's own USB port. Nothing here waits.
struct UsbLine {
    port: UsbSerialJtag<'static, Blocking>,
    /// Bytes in the port's memory that it has not been told to send.
    filled: usize,
}

impl UsbLine {
    fn start(port: USB_DEVICE<'static>) -> Self {
        Self { port: UsbSerialJtag::new(port), filled: 0 }
    }
}

impl Line for UsbLine {
    fn receive(&mut self, _: NodeTime, bytes: &mut [u8]) -> usize {
        let mut received = 0;
        for (slot, byte) in bytes.iter_mut().zip(core::iter::from_fn(|| self.port.read_byte().ok()))
        {
            *slot = byte;
            received += 1;
        }
        received
    }

    fn send(&mut self, _: NodeTime, bytes: &[u8]) -> usize {
        let taken = bytes.iter().take(PACKET_BYTES - self.filled);
        let sent = taken.take_while(|byte| self.port.write_byte_nb(**byte).is_ok()).count();
        self.filled += sent;
        // Whether it can be sent at once or only when the computer asks again: the port has been told.
        if self.filled > 0 && self.port.flush_tx_nb().is_ok() {
            self.filled = 0;
        }
        sent
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    remember_panic(info.location());
    software_reset()
}
