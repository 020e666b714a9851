//! `esp32c3-reed-shift`: 96 reed switches on twelve shift registers in a chain.
#![no_std]
#![no_main]

use esp32c3_node::{Chip, Input, Output, Pause, event_memory};
use node_firmware::{BoardConfig, BoardNode, ROWS, ReedSquares, ShiftChain, WiredBoard};
use node_pins::esp32c3::reed_shift::{CLOCK, DATA, LOAD, TRAY_STRAP};
use node_runtime::Role;
use static_cell::StaticCell;

esp_bootloader_esp_idf::esp_app_desc!();

type Board = WiredBoard<ShiftChain<Output, Output, Input, Pause, ROWS>, ReedSquares>;

static BOARD: StaticCell<Board> = StaticCell::new();

#[esp_hal::main]
fn main() -> ! {
    let mut chip = Chip::start(Role::Board);
    let config = BoardConfig { trays: !chip.is_strapped(TRAY_STRAP), ..BoardConfig::default() };
    let (load, clock) = (chip.output(LOAD, true), chip.output(CLOCK, false));
    // A shorter chain repeats its last level, and the node ignores its trays.
    let wiring = ShiftChain::new(load, clock, chip.input(DATA), Pause::new());
    let node = BoardNode::new(chip.identity.clone(), config, event_memory());
    chip.run(BOARD.init(WiredBoard { node, wiring }))
}
