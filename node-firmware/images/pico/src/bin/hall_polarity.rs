//! `pico-hall-polarity`: 64 hall sensors on four multiplexers, which tell a magnet's pole: White's pieces show one, Black's the other, and trays on four shift registers.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::HallSquares;
use node_runtime::Role;
use pico::{HallBoard, Pico};

pico::image!("hall-polarity");

#[pico::chip::hal::entry]
fn main() -> ! {
    let mut pico = Pico::start(Role::Board);
    let board = place(&mut pico);
    pico.run(board)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(pico: &mut Pico) -> &'static mut HallBoard {
    singleton!(: HallBoard = pico.hall_board(HallSquares::polarity())).unwrap()
}
