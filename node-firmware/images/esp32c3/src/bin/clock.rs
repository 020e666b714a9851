//! `esp32c3-clock`: a chess clock with two buttons, keys and two seven-segment displays. The chip has no pin left for a buzzer, hand sensors and a lever's
//! strap.
#![no_std]
#![no_main]

use core::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};
use esp32c3_node::{Chip, Input, Output, Pause, event_memory};
use node_firmware::{
    ActiveLevel, ButtonPins, ClockConfig, ClockNode, KeyPins, Tm1637Pair, WiredClock,
};
use node_pins::esp32c3::clock;
use node_runtime::Role;
use proto::link::PressKind;
use static_cell::StaticCell;

esp_bootloader_esp_idf::esp_app_desc!();

/// Brightness from 0 to 7, readable in a lit hall.
const BRIGHTNESS: u8 = 5;

type Contacts = KeyPins<ButtonPins<Input, Input, Input>, Input>;
type Clock = WiredClock<Contacts, Tm1637Pair<Output, Output, Pause>, Silent>;

static CLOCK: StaticCell<Clock> = StaticCell::new();

/// In the place of the buzzer.
struct Silent;

impl ErrorType for Silent {
    type Error = Infallible;
}

impl OutputPin for Silent {
    fn set_low(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[esp_hal::main]
fn main() -> ! {
    let mut chip = Chip::start(Role::Clock);
    let active = ActiveLevel::Low;
    let [white, black, tilt] = [clock::WHITE, clock::BLACK, clock::TILT].map(|it| chip.input(it));
    let keys = [clock::MODE, clock::MINUS, clock::PLUS, clock::PAUSE].map(|it| chip.input(it));
    let contacts = KeyPins { clock: ButtonPins { white, black, tilt, active }, keys, active };
    let white =
        (chip.open_drain(clock::WHITE_DISPLAY_CLOCK), chip.open_drain(clock::WHITE_DISPLAY_DATA));
    let black =
        (chip.open_drain(clock::BLACK_DISPLAY_CLOCK), chip.open_drain(clock::BLACK_DISPLAY_DATA));
    let display = Tm1637Pair::new(white, black, Pause::new(), BRIGHTNESS);
    let config = ClockConfig { press: PressKind::Buttons, ..ClockConfig::default() };
    let node = ClockNode::new(chip.identity.clone(), config, event_memory());
    chip.run(CLOCK.init(WiredClock::new(node, contacts, display, Silent)))
}
