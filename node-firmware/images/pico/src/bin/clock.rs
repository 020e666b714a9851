//! `pico-clock`: a chess clock with lever or buttons, keys, two seven-segment displays and a buzzer.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::Tm1637Pair;
use node_pins::clock;
use node_runtime::Role;
use pico::{Clock, OpenDrain, Pause, Pico, Wires};

/// Brightness from 0 to 7, readable in a lit hall.
const BRIGHTNESS: u8 = 5;

type Display = Tm1637Pair<OpenDrain, OpenDrain, Pause>;
type Wired = Clock<Display>;

pico::image!("clock");

#[pico::chip::hal::entry]
fn main() -> ! {
    let mut pico = Pico::start(Role::Clock);
    let clock = place(&mut pico);
    pico.run(clock)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(pico: &mut Pico) -> &'static mut Wired {
    singleton!(: Wired = pico.clock(display)).unwrap()
}

fn display(wires: &mut Wires) -> Display {
    let mut module = |clock, data| (wires.open_drain(clock), wires.open_drain(data));
    let white = module(clock::WHITE_DISPLAY_CLOCK, clock::WHITE_DISPLAY_DATA);
    let black = module(clock::BLACK_DISPLAY_CLOCK, clock::BLACK_DISPLAY_DATA);
    Tm1637Pair::new(white, black, Pause, BRIGHTNESS)
}
