//! The pins of a clock: which contacts it has and how they become readings.

use embedded_hal::digital::{InputPin, OutputPin};

use crate::clock::ClockInputs;
use crate::inputs::InputError;

/// The level that means a closed contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveLevel {
    /// Low: a contact to ground with a pull-up, the usual wiring.
    Low,
    /// High: a contact to the supply with a pull-down.
    High,
}

impl ActiveLevel {
    pub(crate) fn is_active<P: InputPin>(self, pin: &mut P) -> Result<bool, InputError> {
        match self {
            Self::Low => pin.is_low(),
            Self::High => pin.is_high(),
        }
        .map_err(|_| InputError::Read)
    }
}

pub(crate) fn drive<P: OutputPin>(
    pin: &mut P,
    active: ActiveLevel,
    on: bool,
) -> Result<(), InputError> {
    if on == (active == ActiveLevel::High) { pin.set_high() } else { pin.set_low() }
        .map_err(|_| InputError::Drive)
}

/// The contacts of a clock.
pub trait ReadClock {
    /// Reads every contact once.
    ///
    /// # Errors
    /// If a pin cannot be read.
    fn read(&mut self) -> Result<ClockInputs, InputError>;
}

/// A lever with one contact, closed while White's side is down, and a tilt switch.
#[derive(Clone, Debug)]
pub struct LeverPins<L, T> {
    /// Closed while White's side is down.
    pub white_down: L,
    /// Closed while the clock is tilted.
    pub tilt: T,
    /// The level of a closed contact.
    pub active: ActiveLevel,
}

impl<L: InputPin, T: InputPin> ReadClock for LeverPins<L, T> {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
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
    /// Closed while the clock is tilted.
    pub tilt: T,
    /// The level of a closed contact.
    pub active: ActiveLevel,
}

impl<W: InputPin, B: InputPin, T: InputPin> ReadClock for ButtonPins<W, B, T> {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
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

impl<C: ReadClock, W: InputPin, B: InputPin> ReadClock for HandPins<C, W, B> {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
        Ok(ClockInputs {
            white_hand: self.active.is_active(&mut self.white)?,
            black_hand: self.active.is_active(&mut self.black)?,
            ..self.clock.read()?
        })
    }
}

/// Two more hand sensors, away from the board, beside the contacts of `clock`, whose own are on the board's side.
#[derive(Clone, Debug)]
pub struct HandAwayPins<C, W, B> {
    /// The other contacts.
    pub clock: C,
    /// Active while a hand is near White's side, away from the board.
    pub white: W,
    /// Active while a hand is near Black's side, away from the board.
    pub black: B,
    /// The level of a near hand.
    pub active: ActiveLevel,
}

impl<C: ReadClock, W: InputPin, B: InputPin> ReadClock for HandAwayPins<C, W, B> {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
        Ok(ClockInputs {
            white_hand_away: self.active.is_active(&mut self.white)?,
            black_hand_away: self.active.is_active(&mut self.black)?,
            ..self.clock.read()?
        })
    }
}

/// The four setting keys beside the contacts of `clock`.
#[derive(Clone, Debug)]
pub struct KeyPins<C, K> {
    /// The other contacts.
    pub clock: C,
    /// The keys in the order of [`crate::Key`]: mode, minus, plus, pause.
    pub keys: [K; 4],
    /// The level of a pressed key.
    pub active: ActiveLevel,
}

impl<C: ReadClock, K: InputPin> ReadClock for KeyPins<C, K> {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
        let mut inputs = self.clock.read()?;
        for (pin, pressed) in self.keys.iter_mut().zip(&mut inputs.keys) {
            *pressed = self.active.is_active(pin)?;
        }
        Ok(inputs)
    }
}
