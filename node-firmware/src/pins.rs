//! The pins of a clock: which contacts it has and how they become readings.

use embedded_hal::digital::InputPin;

use crate::clock::ClockInputs;

/// The level that means a closed contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveLevel {
    /// Low: a contact to ground with a pull-up, the usual wiring.
    Low,
    /// High: a contact to the supply with a pull-down.
    High,
}

impl ActiveLevel {
    pub(crate) fn is_active<P: InputPin>(self, pin: &mut P) -> Result<bool, P::Error> {
        match self {
            Self::Low => pin.is_low(),
            Self::High => pin.is_high(),
        }
    }
}

/// The contacts of a clock.
pub trait ReadClock {
    /// Why a pin could not be read.
    type Error;

    /// Reads every contact once.
    ///
    /// # Errors
    /// If a pin cannot be read.
    fn read(&mut self) -> Result<ClockInputs, Self::Error>;
}

/// A lever with one contact, closed while White's side is down, and a tilt switch.
#[derive(Clone, Debug)]
pub struct LeverPins<L, T> {
    /// Closed while White's side is down.
    pub white_down: L,
    /// Closed while the clock stands tilted.
    pub tilt: T,
    /// The level of a closed contact.
    pub active: ActiveLevel,
}

impl<L: InputPin, T: InputPin<Error = L::Error>> ReadClock for LeverPins<L, T> {
    type Error = L::Error;

    fn read(&mut self) -> Result<ClockInputs, L::Error> {
        let white_down = self.active.is_active(&mut self.white_down)?;
        Ok(ClockInputs {
            white_down,
            black_down: !white_down,
            tilted: self.active.is_active(&mut self.tilt)?,
            ..ClockInputs::default()
        })
    }
}

/// Two buttons, closed while pressed, and a tilt switch.
#[derive(Clone, Debug)]
pub struct ButtonPins<W, B, T> {
    /// White's button.
    pub white: W,
    /// Black's button.
    pub black: B,
    /// Closed while the clock stands tilted.
    pub tilt: T,
    /// The level of a closed contact.
    pub active: ActiveLevel,
}

impl<W, B, T> ReadClock for ButtonPins<W, B, T>
where
    W: InputPin,
    B: InputPin<Error = W::Error>,
    T: InputPin<Error = W::Error>,
{
    type Error = W::Error;

    fn read(&mut self) -> Result<ClockInputs, W::Error> {
        Ok(ClockInputs {
            white_down: self.active.is_active(&mut self.white)?,
            black_down: self.active.is_active(&mut self.black)?,
            tilted: self.active.is_active(&mut self.tilt)?,
            ..ClockInputs::default()
        })
    }
}

/// Two hand sensors beside the contacts of `clock`.
#[derive(Clone, Debug)]
pub struct HandPins<C, W, B> {
    /// The other contacts.
    pub clock: C,
    /// Active while a hand is near White's side.
    pub white: W,
    /// Active while a hand is near Black's side.
    pub black: B,
    /// The level of a near hand.
    pub active: ActiveLevel,
}

impl<C, W, B> ReadClock for HandPins<C, W, B>
where
    C: ReadClock,
    W: InputPin<Error = C::Error>,
    B: InputPin<Error = C::Error>,
{
    type Error = C::Error;

    fn read(&mut self) -> Result<ClockInputs, C::Error> {
        Ok(ClockInputs {
            white_hand: self.active.is_active(&mut self.white)?,
            black_hand: self.active.is_active(&mut self.black)?,
            ..self.clock.read()?
        })
    }
}
