//! `pico-clock-characters`: a chess clock with lever or buttons, keys, a character display of two rows and a buzzer.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::{Hd44780, PCF8574_ADDRESS};
use node_runtime::Role;
use pico::{Bus, Clock, Pico, Wires};

type Display = Hd44780<Bus>;
type Wired = Clock<Display>;

pico::image!("clock-characters");

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
    Hd44780::new(Bus::start(wires), PCF8574_ADDRESS)
}
