//! The Pico's pins by number, as the table of wires names them.

use cortex_m::asm;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, OutputPin};

use crate::chip::hal::Sio;
use crate::chip::hal::gpio::{
    self, DynBankId, DynFunction, DynPinId, DynPullType, Error, Function, FunctionNull,
    FunctionSioInput, FunctionSioOutput, OutputEnableOverride, Pin, Pins, PullNone, PullType,
    PullUp,
};
use crate::chip::{CYCLES_PER_TURN, SYSTEM_HZ, hal::pac};

/// An input with a pull-up: low while a contact to ground is closed.
pub type Input = Pin<DynPinId, FunctionSioInput, PullUp>;
/// A driven pin.
pub type Output = Pin<DynPinId, FunctionSioOutput, PullNone>;
/// A pin of the UART: the Pico 2's library wants its function as a value.
#[cfg(not(pico2))]
pub(crate) type UartPin = Pin<DynPinId, gpio::FunctionUart, PullUp>;
#[cfg(pico2)]
pub(crate) type UartPin = Pin<DynPinId, DynFunction, PullUp>;
/// A pin that nothing but the converter looks at.
pub(crate) type AnalogPin = Pin<DynPinId, FunctionNull, PullNone>;

/// The pins that are still free.
pub struct Wires {
    /// One bit for each pin.
    free: u32,
    pub(crate) resets: pac::RESETS,
}

/// A pin that is driven low or released, so that what is at its other end may pull it low too.
pub struct OpenDrain(Pin<DynPinId, FunctionSioOutput, PullUp>);

impl Wires {
    /// Brings the pins out of reset. To be called once.
    pub(crate) fn start(
        io: pac::IO_BANK0,
        pads: pac::PADS_BANK0,
        sio: pac::SIO,
        mut resets: pac::RESETS,
    ) -> Self {
        let _ = Pins::new(io, pads, Sio::new(sio).gpio_bank0, &mut resets);
        Self { free: 0x3fff_ffff, resets }
    }

    /// # Panics
    /// If the pin is already in use, which the table of wires forbids.
    fn take(&mut self, gpio: u8) -> Pin<DynPinId, DynFunction, DynPullType> {
        assert!(self.free >> gpio & 1 == 1);
        self.free &= !(1 << gpio);
        // SAFETY: the pins' owner was dropped by `start`, and each pin is made once.
        unsafe { gpio::new_pin(DynPinId { bank: DynBankId::Bank0, num: gpio }) }
    }

    /// Takes a pin for a device of the chip, or with the function that the type names.
    ///
    /// # Panics
    /// If it is already in use or lacks the function, which the table of wires forbids.
    pub(crate) fn lend<F: Function, P: PullType>(&mut self, gpio: u8) -> Pin<DynPinId, F, P> {
        let Ok(pin) = self.take(gpio).into_pull_type::<P>().try_into_function() else { panic!() };
        pin
    }

    /// Takes a pin for the UART.
    #[cfg(not(pico2))]
    pub(crate) fn uart(&mut self, gpio: u8) -> UartPin {
        self.lend(gpio)
    }

    /// Takes a pin for the UART.
    #[cfg(pico2)]
    pub(crate) fn uart(&mut self, gpio: u8) -> UartPin {
        let mut pin = self.take(gpio).into_pull_type::<PullUp>();
        assert!(pin.try_set_function(DynFunction::Uart).is_ok());
        pin
    }

    /// Takes a pin as an input of the converter.
    pub(crate) fn analog(&mut self, gpio: u8) -> AnalogPin {
        let mut pin: AnalogPin = self.lend(gpio);
        pin.set_input_enable(false);
        pin
    }

    /// Takes a pin as an input.
    ///
    /// # Panics
    /// If it is already in use, which the table of wires forbids.
    pub fn input(&mut self, gpio: u8) -> Input {
        self.lend(gpio)
    }

    /// Takes a pin as an output with this level at first.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn output(&mut self, gpio: u8, high: bool) -> Output {
        let mut pin = self.take(gpio).into_pull_type::<PullNone>();
        // Held off the wire until it has its level.
        pin.set_output_enable_override(OutputEnableOverride::Disable);
        let Ok(mut pin) = pin.try_into_function::<FunctionSioOutput>() else { panic!() };
        // A pin of the processor's own cannot fail.
        let _ = if high { pin.set_high() } else { pin.set_low() };
        pin.set_output_enable_override(OutputEnableOverride::Normal);
        pin
    }

    /// Takes a pin as a released open-drain output with a pull-up.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn open_drain(&mut self, gpio: u8) -> OpenDrain {
        let mut pin = self.take(gpio).into_pull_type::<PullUp>();
        pin.set_output_enable_override(OutputEnableOverride::Disable);
        let Ok(mut pin) = pin.try_into_function::<FunctionSioOutput>() else { panic!() };
        let _ = pin.set_low();
        OpenDrain(pin)
    }

    /// Whether this strap joins its pin to ground.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn is_strapped(&mut self, gpio: u8) -> bool {
        let mut pin = self.input(gpio);
        // The pull-up charges what hangs on the pin.
        Pause.delay_us(STRAP_SETTLE_US);
        embedded_hal::digital::InputPin::is_low(&mut pin).unwrap_or(false)
    }
}

/// Time until a strap's pin has its level.
const STRAP_SETTLE_US: u32 = 100;

impl ErrorType for OpenDrain {
    type Error = Error;
}

impl OutputPin for OpenDrain {
    fn set_low(&mut self) -> Result<(), Error> {
        self.0.set_output_enable_override(OutputEnableOverride::Enable);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Error> {
        self.0.set_output_enable_override(OutputEnableOverride::Disable);
        Ok(())
    }
}

/// Waits by counting processor cycles.
#[derive(Clone, Copy, Debug)]
pub struct Pause;

const NS_PER_CYCLE: u32 = 1_000_000_000 / SYSTEM_HZ;

impl DelayNs for Pause {
    fn delay_ns(&mut self, ns: u32) {
        asm::delay(ns.div_ceil(NS_PER_CYCLE * CYCLES_PER_TURN));
    }
}
