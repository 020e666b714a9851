//! `pico-hall`: 64 hall sensors on four multiplexers, and trays on four shift registers.
#![no_std]
#![no_main]

use cortex_m::singleton;
use node_firmware::{
    BoardNode, HallMultiplexer, HallSquares, InputError, ReadTrays, ShiftChain, WiredBoard,
};
use node_pins::hall::{ANALOG, ENABLE, SELECT, TRAY_CLOCK, TRAY_DATA, TRAY_LOAD, TRAY_STRAP};
use node_runtime::{BUFFER_BYTES, Role};
use pico::{Converter, Input, Output, Pause, Pico};

/// Slots are reed switches.
struct Trays {
    chain: ShiftChain<Output, Output, Input, Pause, 4>,
    fitted: bool,
}

impl ReadTrays for Trays {
    fn read_trays(&mut self) -> Result<[u16; 2], InputError> {
        if self.fitted { self.chain.read_trays() } else { Ok([0; 2]) }
    }
}

type Wiring = HallMultiplexer<Output, Output, Converter, Trays, Pause>;
type Board = WiredBoard<Wiring, BUFFER_BYTES, HallSquares>;

#[rp2040_hal::entry]
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
    let fitted = !pico.wires.is_strapped(TRAY_STRAP);
    let (load, clock) = (pico.wires.output(TRAY_LOAD, true), pico.wires.output(TRAY_CLOCK, false));
    let chain = ShiftChain::new(load, clock, pico.wires.input(TRAY_DATA), Pause);
    let select = SELECT.map(|gpio| pico.wires.output(gpio, false));
    let enable = ENABLE.map(|gpio| pico.wires.output(gpio, true));
    let analog = Converter::start(&mut pico.wires, ANALOG);
    let wiring = HallMultiplexer::new(select, enable, analog, Trays { chain, fitted }, Pause);
    let identity = pico.identity.clone();
    WiredBoard { node: BoardNode::with_squares(identity, HallSquares::magnitude(), fitted), wiring }
}
