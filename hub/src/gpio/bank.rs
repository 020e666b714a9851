//! The pins of the machine: those of a Raspberry Pi, or simulated ones.

use std::convert::Infallible;
use std::fmt;

use embedded_hal::digital::OutputPin;
use rppal::gpio::{Error, Gpio, Trigger};

/// A pin that drives something.
pub type Output = Box<dyn OutputPin<Error = Infallible> + Send + Sync>;

/// Hears each change of an input: true when it reads high. Called from a thread of its own.
pub type OnChange = Box<dyn FnMut(bool) + Send>;

/// Keeps an input alive.
pub trait Input: Send {
    /// Whether it reads high now.
    fn is_high(&self) -> bool;
}

/// Pins by their BCM numbers.
pub trait Bank: Send {
    /// Takes a pin as an output that is low, and low again when it is dropped.
    ///
    /// # Errors
    ///
    /// When the pin is taken or there is none of this number.
    fn output(&mut self, pin: u8) -> Result<Output, GpioError>;

    /// Takes a pin as an input with a pull-up.
    ///
    /// # Errors
    ///
    /// When the pin is taken or there is none of this number.
    fn input(&mut self, pin: u8, on_change: OnChange) -> Result<Box<dyn Input>, GpioError>;
}

/// Why pins cannot be used; says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpioError {
    /// Not a Raspberry Pi, or not one that is known.
    #[error(
        "this machine is no Raspberry Pi that is known here, so it has no pins to use: the hub runs without them. Remove the [gpio] section of \
         its configuration, or run it on a Raspberry Pi"
    )]
    NoPi,
    /// The device of the pins is closed to the hub.
    #[error(
        "the hub may not use the pins ({0}): add its user to the group gpio; the hub runs without them"
    )]
    Forbidden(String),
    /// One pin.
    #[error(
        "GPIO{pin} cannot be used ({why}): give another pin in the [gpio] section; the hub runs without it"
    )]
    Pin {
        /// Its BCM number.
        pin: u8,
        /// Why.
        why: String,
    },
    /// Something else.
    #[error("the pins cannot be used ({0}); the hub runs without them")]
    Other(String),
}

/// The pins of a Raspberry Pi.
pub struct PiPins(Gpio);

impl fmt::Debug for PiPins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PiPins")
    }
}

impl PiPins {
    /// Opens the pins of this machine.
    ///
    /// # Errors
    ///
    /// When it has none, or they are closed to this program.
    pub fn open() -> Result<PiPins, GpioError> {
        match Gpio::new() {
            Ok(gpio) => Ok(PiPins(gpio)),
            Err(Error::UnknownModel) => Err(GpioError::NoPi),
            Err(Error::PermissionDenied(what)) => Err(GpioError::Forbidden(what)),
            Err(error) => Err(GpioError::Other(error.to_string())),
        }
    }
}

fn of_pin(pin: u8) -> impl Fn(Error) -> GpioError {
    move |error| GpioError::Pin { pin, why: error.to_string() }
}

impl Bank for PiPins {
    fn output(&mut self, pin: u8) -> Result<Output, GpioError> {
        let pin = self.0.get(pin).map_err(of_pin(pin))?.into_output_low();
        Ok(Box::new(pin))
    }

    fn input(&mut self, pin: u8, mut on_change: OnChange) -> Result<Box<dyn Input>, GpioError> {
        let mut input = self.0.get(pin).map_err(of_pin(pin))?.into_input_pullup();
        let changed = move |event: rppal::gpio::Event| {
            on_change(event.trigger == Trigger::RisingEdge);
        };
        // Settled by our own rule, which keeps the time of the first contact.
        input.set_async_interrupt(Trigger::Both, None, changed).map_err(of_pin(pin))?;
        Ok(Box::new(PiInput(input)))
    }
}

struct PiInput(rppal::gpio::InputPin);

impl Input for PiInput {
    fn is_high(&self) -> bool {
        self.0.is_high()
    }
}
