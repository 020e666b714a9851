//! `pico-reed-shift`: 96 reed switches on twelve shift registers in a chain.
#![no_std]
#![no_main]

use node_firmware::{BoardConfig, BoardNode, ROWS, ReedSquares, ShiftChain, WiredBoard};
use node_pins::reed_shift::{CLOCK, DATA, LOAD, TRAY_STRAP};
use pico::{Input, Output, Pause, Pico, event_memory};

type Board = WiredBoard<ShiftChain<Output, Output, Input, Pause, ROWS>, ReedSquares>;

pico::image!("reed-shift", Board, Board, pico => wired(pico));

fn wired(pico: &mut Pico) -> Board {
    let trays = !pico.wires.is_strapped(TRAY_STRAP);
    let config = BoardConfig { trays, ..BoardConfig::default() };
    let (load, clock) = (pico.wires.output(LOAD, true), pico.wires.output(CLOCK, false));
    // A shorter chain repeats its last level, and the node ignores its trays.
    let wiring = ShiftChain::<_, _, _, _, ROWS>::new(load, clock, pico.wires.input(DATA), Pause);
    WiredBoard { node: BoardNode::new(pico.identity.clone(), config, event_memory()), wiring }
}
