//! The Pico's pins by number, as the table of wires names them. RP2040 datasheet, sections 2.3.1 and 2.19.

use core::convert::Infallible;

use cortex_m::asm;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, InputPin, OutputPin};

use crate::clocks::{SYSTEM_HZ, device, reset};
use crate::register::Register;

/// What a pin does: bits of its control register.
const CONTROL: Register = Register::at(0x4001_4004);
const PAD: Register = Register::at(0x4001_c004);
const LEVELS: Register = Register::at(0xd000_0004);
const SET_HIGH: Register = Register::at(0xd000_0014);
const SET_LOW: Register = Register::at(0xd000_0018);
const DRIVE: Register = Register::at(0xd000_0024);
const RELEASE: Register = Register::at(0xd000_0028);

/// Pads: input on, Schmitt trigger, 4 mA.
const PAD_PLAIN: u32 = 1 << 6 | 1 << 4 | 1 << 1;
const PULL_UP: u32 = 1 << 3;
/// Nothing but the converter looks at the pin.
const PAD_ANALOG: u32 = 1 << 7;

/// What a pin is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Function {
    Uart = 2,
    I2c = 3,
    Processor = 5,
    Nothing = 31,
}

/// The pins that nobody has taken yet: one bit each.
#[derive(Debug)]
pub struct Wires {
    free: u32,
}

/// An input with a pull-up: low while a contact to ground is closed.
#[derive(Debug)]
pub struct Input(u8);

/// A driven pin.
#[derive(Debug)]
pub struct Output(u8);

/// A pin that is driven low or released, so that what is at its other end may pull it low too.
#[derive(Debug)]
pub struct OpenDrain(u8);

impl Wires {
    /// To be called once.
    pub(crate) fn start() -> Self {
        reset(device::IO_BANK0 | device::PADS_BANK0);
        Self { free: 0x3fff_ffff }
    }

    /// # Panics
    /// If the pin is taken already, which the table of wires forbids.
    pub(crate) fn take(&mut self, gpio: u8, function: Function, pad: u32) {
        assert!(self.free >> gpio & 1 == 1);
        self.free &= !(1 << gpio);
        PAD.nth(4, gpio).write(pad);
        CONTROL.nth(8, gpio).write(function as u32);
    }

    /// Takes a pin for a device of the chip.
    pub(crate) fn lend(&mut self, gpio: u8, function: Function) {
        self.take(gpio, function, PAD_PLAIN | PULL_UP);
    }

    /// Takes a pin as an input of the converter.
    ///
    /// # Panics
    /// If it is taken already.
    pub fn analog(&mut self, gpio: u8) {
        self.take(gpio, Function::Nothing, PAD_ANALOG);
    }

    /// Takes a pin as an input.
    ///
    /// # Panics
    /// If it is taken already, which the table of wires forbids.
    pub fn input(&mut self, gpio: u8) -> Input {
        self.take(gpio, Function::Processor, PAD_PLAIN | PULL_UP);
        Input(gpio)
    }

    /// Takes a pin as an output with this level at first.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn output(&mut self, gpio: u8, high: bool) -> Output {
        if high { SET_HIGH } else { SET_LOW }.write(1 << gpio);
        DRIVE.write(1 << gpio);
        self.take(gpio, Function::Processor, PAD_PLAIN);
        Output(gpio)
    }

    /// Takes a pin as a released open-drain output with a pull-up.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn open_drain(&mut self, gpio: u8) -> OpenDrain {
        SET_LOW.write(1 << gpio);
        RELEASE.write(1 << gpio);
        self.take(gpio, Function::Processor, PAD_PLAIN | PULL_UP);
        OpenDrain(gpio)
    }

    /// Whether this strap joins its pin to ground.
    ///
    /// # Panics
    /// As [`Self::input`].
    pub fn is_strapped(&mut self, gpio: u8) -> bool {
        let strap = self.input(gpio);
        // The pull-up charges the wire.
        Pause.delay_us(10);
        !strap.is_high()
    }
}

impl Input {
    fn is_high(&self) -> bool {
        LEVELS.read() >> self.0 & 1 == 1
    }
}

impl ErrorType for Input {
    type Error = Infallible;
}

impl InputPin for Input {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(Input::is_high(self))
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(!Input::is_high(self))
    }
}

impl ErrorType for Output {
    type Error = Infallible;
}

impl OutputPin for Output {
    fn set_low(&mut self) -> Result<(), Infallible> {
        SET_LOW.write(1 << self.0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        SET_HIGH.write(1 << self.0);
        Ok(())
    }
}

impl ErrorType for OpenDrain {
    type Error = Infallible;
}

impl OutputPin for OpenDrain {
    fn set_low(&mut self) -> Result<(), Infallible> {
        DRIVE.write(1 << self.0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        RELEASE.write(1 << self.0);
        Ok(())
    }
}

/// Waits by counting processor cycles.
#[derive(Clone, Copy, Debug)]
pub struct Pause;

const NS_PER_CYCLE: u32 = 1_000_000_000 / SYSTEM_HZ;
/// `asm::delay` goes round once for each cycle it is told, which takes a Cortex-M0+ three.
const CYCLES_PER_TURN: u32 = 3;

impl DelayNs for Pause {
    fn delay_ns(&mut self, ns: u32) {
        asm::delay(ns.div_ceil(NS_PER_CYCLE * CYCLES_PER_TURN));
    }
}
