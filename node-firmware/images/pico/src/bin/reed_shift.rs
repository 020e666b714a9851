//! `pico-reed-shift`: 96 reed switches on twelve shift registers in a chain.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::{BoardConfig, BoardNode, ROWS, ReedSquares, ShiftChain, WiredBoard};
use node_pins::reed_shift::{CLOCK, DATA, LOAD, TRAY_STRAP};
use node_runtime::Role;
use pico::{Input, Output, Pause, Pico, event_memory};

type Board = WiredBoard<ShiftChain<Output, Output, Input, Pause, ROWS>, ReedSquares>;

pico::image!("reed-shift");

#[pico::chip::hal::entry]
fn main() -> ! {
    let mut pico = Pico::start(Role::Board);
    let board = place(&mut pico);
    pico.run(board)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(pico: &mut Pico) -> &'static mut Board {
    singleton!(: Board = wired(pico)).unwrap()
}

fn wired(pico: &mut Pico) -> Board {
    let trays = !pico.wires.is_strapped(TRAY_STRAP);
    let config = BoardConfig { trays, ..BoardConfig::default() };
    let (load, clock) = (pico.wires.output(LOAD, true), pico.wires.output(CLOCK, false));
    // A shorter chain repeats its last level, and the node ignores its trays.
    let wiring = ShiftChain::<_, _, _, _, ROWS>::new(load, clock, pico.wires.input(DATA), Pause);
    WiredBoard { node: BoardNode::new(pico.identity.clone(), config, event_memory()), wiring }
}
