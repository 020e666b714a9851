//! `pico-reed-matrix`: 96 reed switches in a matrix of twelve driven rows and eight read columns.
#![no_std]
#![no_main]

use node_firmware::{
    ActiveLevel, BoardConfig, BoardNode, MATRIX_SETTLE_NS, Matrix, ReedSquares, WiredBoard,
};
use node_pins::reed_matrix::{COLUMNS, ROWS, TRAY_STRAP};
use pico::{Input, Output, Pause, Pico, event_memory};

type Board = WiredBoard<Matrix<Output, Input, Pause, 12>, ReedSquares>;

pico::image!("reed-matrix", Board, Board, pico => wired(pico));

fn wired(pico: &mut Pico) -> Board {
    let trays = !pico.wires.is_strapped(TRAY_STRAP);
    let config = BoardConfig { trays, ..BoardConfig::default() };
    let rows = ROWS.map(|gpio| pico.wires.output(gpio, true));
    let columns = COLUMNS.map(|gpio| pico.wires.input(gpio));
    let wiring = Matrix::new(rows, columns, Pause, ActiveLevel::Low, MATRIX_SETTLE_NS);
    WiredBoard { node: BoardNode::new(pico.identity.clone(), config, event_memory()), wiring }
}
