//! Wiring of both clock images: contacts, keys and buzzer. Only the display differs.

use node_firmware::{
    ActiveLevel, ButtonPins, ClockConfig, ClockInputs, ClockNode, HandAwayPins, HandPins,
    InputError, KeyPins, LeverPins, ReadClock, ShowClock, WiredClock,
};
use node_pins::clock;
use proto::link::PressKind;

use crate::start::{Pico, event_memory};
use crate::wires::{Input, Output, Wires};

/// The contacts, and one or two hand sensors for each player.
type Hands = HandAwayPins<HandPins<Presses, Input, Input>, Input, Input>;

/// A clock with this display.
pub type Clock<D> = WiredClock<KeyPins<Hands, Input>, D, Output>;

/// The lever, or the buttons.
pub enum Presses {
    /// One contact.
    Lever(LeverPins<Input, Input>),
    /// One for each side.
    Buttons(ButtonPins<Input, Input, Input>),
}

impl ReadClock for Presses {
    fn read(&mut self) -> Result<ClockInputs, InputError> {
        match self {
            Self::Lever(pins) => pins.read(),
            Self::Buttons(pins) => pins.read(),
        }
    }
}

impl Pico {
    /// A clock at the pins of the build guide. To be called once.
    ///
    /// # Panics
    /// If it is called again.
    pub fn clock<D: ShowClock>(&mut self, display: impl FnOnce(&mut Wires) -> D) -> Clock<D> {
        let wires = &mut self.wires;
        let buttons = wires.is_strapped(clock::BUTTON_STRAP);
        let press = if buttons { PressKind::Buttons } else { PressKind::Lever };
        let hand_sides = wires.is_strapped(clock::HAND_STRAP);
        let config = ClockConfig { press, hand_sensor: true, hand_sides, ..ClockConfig::default() };
        let active = ActiveLevel::Low;
        let (white, black) = (wires.input(clock::WHITE), wires.input(clock::BLACK));
        let tilt = wires.input(clock::TILT);
        let presses = if buttons {
            Presses::Buttons(ButtonPins { white, black, tilt, active })
        } else {
            Presses::Lever(LeverPins { white_down: white, tilt, active })
        };
        let hands = HandPins {
            clock: presses,
            white: wires.input(clock::WHITE_HAND),
            black: wires.input(clock::BLACK_HAND),
            active,
        };
        let hands = HandAwayPins {
            clock: hands,
            white: wires.input(clock::WHITE_HAND_AWAY),
            black: wires.input(clock::BLACK_HAND_AWAY),
            active,
        };
        let keys = [clock::MODE, clock::MINUS, clock::PLUS, clock::PAUSE];
        let keys = keys.map(|gpio| wires.input(gpio));
        let contacts = KeyPins { clock: hands, keys, active };
        let display = display(wires);
        let buzzer = wires.output(clock::BUZZER, false);
        WiredClock::new(
            ClockNode::new(self.identity.clone(), config, event_memory()),
            contacts,
            display,
            buzzer,
        )
    }
}
