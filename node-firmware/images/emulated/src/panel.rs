//! The emulated switches: words at the end of memory, which stand for pins and what is wired to them. The test writes them from
//! outside while the firmware runs; QEMU's machines have no reed switches. The layout is fixed:
//!
//! | offset | word |
//! |---|---|
//! | 0x00 | seed of boot ids, set before the start |
//! | 0x04 | the node's number, of which its name is made |
//! | 0x08 | straps: bit 0 = no trays |
//! | 0x0c | order: 1 = panic, 2 = fault; 0 when it is carried out |
//! | 0x10 … 0x3c | twelve rows of the switch matrix: bit *n* = the switch in column *n* is closed |
//! | 0x40 | rows that are driven now, written by the firmware |
//! | 0x44 | contacts of a clock: bits as in [`crate::contact`] |
//! | 0x48 | outputs, written by the firmware: bit 0 = light, bit 1 = buzzer |
//! | 0x4c | node time at which the latest whole turn of the main loop began, µs, its lower half; written by the firmware |

use proto::link::NodeTime;

use crate::memory::Word;

const BASE: u32 = 0x2000_3f00;
/// Rows of the matrix: eight ranks, two for each tray.
pub const ROWS: u8 = 12;
/// Columns of the matrix.
pub const COLUMNS: u8 = 8;

pub(crate) const SEED: Word = Word::at(BASE);
pub(crate) const NUMBER: Word = Word::at(BASE + 0x04);
pub(crate) const STRAPS: Word = Word::at(BASE + 0x08);
pub(crate) const ORDER: Word = Word::at(BASE + 0x0c);
pub(crate) const DRIVEN: Word = Word::at(BASE + 0x40);
pub(crate) const CONTACTS: Word = Word::at(BASE + 0x44);
pub(crate) const OUTPUTS: Word = Word::at(BASE + 0x48);
const TURN: Word = Word::at(BASE + 0x4c);

pub(crate) const fn row(index: u8) -> Word {
    assert!(index < ROWS);
    Word::at(BASE + 0x10 + 4 * index as u32)
}

/// Whether this board is built with trays.
pub fn has_trays() -> bool {
    STRAPS.read() & 1 == 0
}

/// Notes a turn that is over: who sets switches from outside learns that they were read.
pub(crate) fn note_turn(began: NodeTime) {
    TURN.write(began.as_micros() as u32);
}

/// Carries out what was ordered: a test wants to see the node come back.
pub(crate) fn obey() {
    let order = ORDER.read();
    if order != 0 {
        ORDER.write(0);
    }
    match order {
        1 => panic!(),
        2 => cortex_m::asm::udf(),
        _ => {}
    }
}
