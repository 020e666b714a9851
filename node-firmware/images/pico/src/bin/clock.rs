//! `pico-clock`: a chess clock with lever or buttons, keys, two seven-segment displays and a buzzer.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::{
    ActiveLevel, ButtonPins, ClockConfig, ClockInputs, ClockNode, HandPins, InputError, KeyPins,
    LeverPins, ReadClock, Tm1637Pair, WiredClock,
};
use node_pins::clock;
use node_runtime::{BUFFER_BYTES, Role};
use pico::{Input, Output, Pause, Pico};
use proto::link::PressKind;

/// Of 0 to 7: to be read in a lit hall.
const BRIGHTNESS: u8 = 5;

type Contacts = KeyPins<HandPins<Presses, Input, Input>, Input>;
type Clock = WiredClock<Contacts, Tm1637Pair<Output, Output, Pause>, Output, BUFFER_BYTES>;

#[rp2040_hal::entry]
fn main() -> ! {
    let mut pico = Pico::start(Role::Clock);
    let clock = place(&mut pico);
    pico.run(clock)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(pico: &mut Pico) -> &'static mut Clock {
    singleton!(: Clock = wired(pico)).unwrap()
}

fn wired(pico: &mut Pico) -> Clock {
    let buttons = pico.wires.is_strapped(clock::BUTTON_STRAP);
    let press = if buttons { PressKind::Buttons } else { PressKind::Lever };
    let config = ClockConfig { press, hand_sensor: true, ..ClockConfig::default() };
    let wires = &mut pico.wires;
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
    let keys = [clock::MODE, clock::MINUS, clock::PLUS, clock::PAUSE];
    let keys = keys.map(|gpio| wires.input(gpio));
    let contacts = KeyPins { clock: hands, keys, active };
    let mut module = |clock, data| (wires.output(clock, true), wires.output(data, true));
    let white = module(clock::WHITE_DISPLAY_CLOCK, clock::WHITE_DISPLAY_DATA);
    let black = module(clock::BLACK_DISPLAY_CLOCK, clock::BLACK_DISPLAY_DATA);
    let display = Tm1637Pair::new(white, black, Pause, BRIGHTNESS);
    let buzzer = wires.output(clock::BUZZER, false);
    WiredClock::new(ClockNode::new(pico.identity.clone(), config), contacts, display, buzzer)
}

/// The lever, or the buttons.
enum Presses {
    Lever(LeverPins<Input, Input>),
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
