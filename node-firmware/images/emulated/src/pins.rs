//! Pins over the panel's words: a matrix with its wires, so that the scan that runs here is the one that runs on a real board.

use core::convert::Infallible;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, InputPin, OutputPin};

use crate::panel;

/// Bits of a clock's contacts.
pub mod contact {
    /// The lever: closed while White's side is down.
    pub const LEVER: u8 = 0;
    /// The tilt switch: closed while the clock lies.
    pub const TILT: u8 = 1;
    /// The hand sensor at White's side.
    pub const WHITE_HAND: u8 = 2;
    /// The hand sensor at Black's side.
    pub const BLACK_HAND: u8 = 3;
    /// The key that changes what is set.
    pub const MODE: u8 = 4;
    /// The key that sets less.
    pub const MINUS: u8 = 5;
    /// The key that sets more.
    pub const PLUS: u8 = 6;
    /// The key that stops both times.
    pub const PAUSE: u8 = 7;
}

/// A driven row of the matrix. Low is driven.
#[derive(Clone, Copy, Debug)]
pub struct Row(pub u8);

/// A read column of the matrix, with a pull-up: low while a closed switch ties it to a driven row.
#[derive(Clone, Copy, Debug)]
pub struct Column(pub u8);

/// A contact of a clock to ground, with a pull-up.
#[derive(Clone, Copy, Debug)]
pub struct Contact(pub u8);

/// An output that is on at a high level.
#[derive(Clone, Copy, Debug)]
pub struct Output(u8);

impl Output {
    /// The light.
    pub const LIGHT: Self = Self(0);
    /// The buzzer.
    pub const BUZZER: Self = Self(1);
}

/// The emulated wires settle at once.
#[derive(Clone, Copy, Debug)]
pub struct NoDelay;

impl ErrorType for Row {
    type Error = Infallible;
}

impl OutputPin for Row {
    fn set_low(&mut self) -> Result<(), Infallible> {
        panel::DRIVEN.write(panel::DRIVEN.read() | 1 << self.0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        panel::DRIVEN.write(panel::DRIVEN.read() & !(1 << self.0));
        Ok(())
    }
}

impl ErrorType for Output {
    type Error = Infallible;
}

impl OutputPin for Output {
    fn set_low(&mut self) -> Result<(), Infallible> {
        panel::OUTPUTS.write(panel::OUTPUTS.read() & !(1 << self.0));
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        panel::OUTPUTS.write(panel::OUTPUTS.read() | 1 << self.0);
        Ok(())
    }
}

impl ErrorType for Column {
    type Error = Infallible;
}

impl InputPin for Column {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        self.is_low().map(|low| !low)
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        let driven = panel::DRIVEN.read();
        let mut rows = (0..panel::ROWS).filter(|&row| driven >> row & 1 == 1);
        Ok(rows.any(|row| panel::row(row).read() >> self.0 & 1 == 1))
    }
}

impl ErrorType for Contact {
    type Error = Infallible;
}

impl InputPin for Contact {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        self.is_low().map(|low| !low)
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(panel::CONTACTS.read() >> self.0 & 1 == 1)
    }
}

impl DelayNs for NoDelay {
    fn delay_ns(&mut self, _: u32) {}
}
