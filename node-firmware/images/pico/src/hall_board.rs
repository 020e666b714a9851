//! Wiring of both hall images. Only the sensors differ.

use node_firmware::{
    BoardNode, HallMultiplexer, HallSquares, InputError, ReadTrays, ShiftChain, WiredBoard,
};
use node_pins::hall::{ANALOG, ENABLE, SELECT, TRAY_CLOCK, TRAY_DATA, TRAY_LOAD, TRAY_STRAP};

use crate::converter::Converter;
use crate::start::{Pico, event_memory};
use crate::wires::{Input, Output, Pause};

/// High: the Pico's own regulator works steadily instead of saving power in bursts, which the converter would see. No wire goes there.
const REGULATOR_STEADY: u8 = 23;

/// Trays of a hall board: reed switches on shift registers.
pub struct HallTrays {
    chain: ShiftChain<Output, Output, Input, Pause, 4>,
    fitted: bool,
}

impl ReadTrays for HallTrays {
    fn read_trays(&mut self) -> Result<[u16; 2], InputError> {
        if self.fitted { self.chain.read_trays() } else { Ok([0; 2]) }
    }
}

/// 64 hall sensors on four multiplexers, and trays.
pub type HallBoard =
    WiredBoard<HallMultiplexer<Output, Output, Converter, HallTrays, Pause>, HallSquares>;

impl Pico {
    /// A hall board at the pins of the build guide. To be called once.
    ///
    /// # Panics
    /// If it is called again.
    pub fn hall_board(&mut self, squares: HallSquares) -> HallBoard {
        let wires = &mut self.wires;
        let _ = wires.output(REGULATOR_STEADY, true);
        let fitted = !wires.is_strapped(TRAY_STRAP);
        let (load, clock) = (wires.output(TRAY_LOAD, true), wires.output(TRAY_CLOCK, false));
        let chain = ShiftChain::new(load, clock, wires.input(TRAY_DATA), Pause);
        let select = SELECT.map(|gpio| wires.output(gpio, false));
        let enable = ENABLE.map(|gpio| wires.output(gpio, true));
        let analog = Converter::start(wires, ANALOG);
        let trays = HallTrays { chain, fitted };
        let wiring = HallMultiplexer::new(select, enable, analog, trays, Pause);
        let node = BoardNode::with_squares(self.identity.clone(), squares, fitted, event_memory());
        WiredBoard { node, wiring }
    }
}
