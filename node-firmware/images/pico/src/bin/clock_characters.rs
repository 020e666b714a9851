//! `pico-clock-characters`: a chess clock with lever or buttons, keys, a character display of two rows and a buzzer.
#![no_std]
#![no_main]

use node_firmware::{Hd44780, PCF8574_ADDRESS};
use pico::{Bus, Clock, Wires};

type Display = Hd44780<Bus>;

pico::image!("clock-characters", Clock, Clock<Display>, pico => pico.clock(display));

fn display(wires: &mut Wires) -> Display {
    Hd44780::new(Bus::start(wires), PCF8574_ADDRESS)
}
