//! The contacts of a clock over pins that are only imagined.

use std::convert::Infallible;

use embedded_hal::digital::{ErrorType, InputPin};
use node_firmware::{
    ActiveLevel, ButtonPins, ClockConfig, ClockInputs, ClockNode, EventMemory, HandAwayPins,
    HandPins, KeyPins, LeverPins, ReadClock,
};
use proto::link::Side;

use crate::host::{at, identity};

/// A pin at a fixed level.
struct Pin(bool);

impl ErrorType for Pin {
    type Error = Infallible;
}

impl InputPin for Pin {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0)
    }
    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0)
    }
}

#[test]
fn contacts_to_ground_read_closed_when_low() {
    let mut lever = LeverPins { white_down: Pin(true), tilt: Pin(false), active: ActiveLevel::Low };
    let expected = ClockInputs { tilted: true, ..ClockInputs::lever(Side::Black) };
    assert_eq!(lever.read(), Ok(expected));

    let buttons = ButtonPins {
        white: Pin(false),
        black: Pin(true),
        tilt: Pin(true),
        active: ActiveLevel::Low,
    };
    let active = ActiveLevel::High;
    let mut hands = HandPins { clock: buttons, white: Pin(false), black: Pin(true), active };
    let expected = ClockInputs { white_down: true, black_hand: true, ..ClockInputs::default() };
    assert_eq!(hands.read(), Ok(expected));

    let mut hands = HandAwayPins { clock: hands, white: Pin(true), black: Pin(false), active };
    assert_eq!(hands.read(), Ok(ClockInputs { white_hand_away: true, ..expected }));
}

#[test]
fn a_clock_runs_on_its_pins() {
    let config = ClockConfig::default();
    let mut node: ClockNode = ClockNode::new(identity(), config, EventMemory::default());
    let mut pins = LeverPins { white_down: Pin(false), tilt: Pin(true), active: ActiveLevel::Low };
    node.poll(at(0), &mut pins).unwrap();
    pins.white_down = Pin(true);
    for us in [1_000, 6_000, 106_000] {
        node.poll(at(us), &mut pins).unwrap();
    }
    assert_eq!(node.display().running, Some(Side::White));
    assert_eq!(node.display().white_ms, 299_900);
}

#[test]
fn keys_are_read_beside_everything_else() {
    let clock = LeverPins { white_down: Pin(true), tilt: Pin(true), active: ActiveLevel::Low };
    let keys = [Pin(true), Pin(false), Pin(true), Pin(false)];
    let mut keys = KeyPins { clock, keys, active: ActiveLevel::Low };
    let expected =
        ClockInputs { keys: [false, true, false, true], ..ClockInputs::lever(Side::Black) };
    assert_eq!(keys.read(), Ok(expected));
}
