//! `pico-clock`: a chess clock with lever or buttons, keys, two seven-segment displays and a buzzer.
#![no_std]
#![no_main]

use node_firmware::Tm1637Pair;
use node_pins::clock;
use pico::{Clock, OpenDrain, Pause, Wires};

/// Brightness from 0 to 7, readable in a lit hall.
const BRIGHTNESS: u8 = 5;

type Display = Tm1637Pair<OpenDrain, OpenDrain, Pause>;

pico::image!("clock", Clock, Clock<Display>, pico => pico.clock(display));

fn display(wires: &mut Wires) -> Display {
    let mut module = |clock, data| (wires.open_drain(clock), wires.open_drain(data));
    let white = module(clock::WHITE_DISPLAY_CLOCK, clock::WHITE_DISPLAY_DATA);
    let black = module(clock::BLACK_DISPLAY_CLOCK, clock::BLACK_DISPLAY_DATA);
    Tm1637Pair::new(white, black, Pause, BRIGHTNESS)
}
