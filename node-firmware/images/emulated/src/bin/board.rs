//! The board node on an emulated board: a reed matrix, with trays or without.
#![no_std]
#![no_main]

use cortex_m::singleton;
use cortex_m_rt::entry;
use emulated::{Column, NoDelay, Row, event_memory, panel, start};
use node_firmware::{
    ActiveLevel, BoardConfig, BoardNode, Identity, Matrix, ReedSquares, WiredBoard,
};
use node_runtime::Role;

type Board = WiredBoard<Matrix<Row, Column, NoDelay, 12>, ReedSquares>;

#[entry]
fn main() -> ! {
    let started = start(Role::Board);
    let board = place(&started.identity);
    started.run(board)
}

/// Not inlined, so that what it needs of the stack is free again when the main loop runs.
#[inline(never)]
fn place(identity: &Identity) -> &'static mut Board {
    singleton!(: Board = wired(identity)).unwrap()
}

fn wired(identity: &Identity) -> Board {
    let config = BoardConfig { trays: panel::has_trays(), ..BoardConfig::default() };
    let rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(Row);
    let columns = [0, 1, 2, 3, 4, 5, 6, 7].map(Column);
    let wiring = Matrix::new(rows, columns, NoDelay, ActiveLevel::Low, 0);
    WiredBoard { node: BoardNode::new(identity.clone(), config, event_memory()), wiring }
}
