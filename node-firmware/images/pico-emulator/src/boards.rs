//! The images with the wiring of the build guide, and how their scans are seen from outside.

use node_firmware::{
    DEFAULT_DEBOUNCE_US, MAGNITUDE_DEBOUNCE_US, PCF8574_ADDRESS, POLARITY_DEBOUNCE_US,
};
use node_pins::{clock, hall, reed_matrix, reed_shift};

use crate::Bench;

/// An image with its wiring.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Its name.
    pub image: &'static str,
    /// Its wiring.
    pub wire: fn(Bench) -> Bench,
    /// Time for which a reading must hold before it counts, µs.
    pub debounce_us: u32,
    /// Pin at which a scan is seen; `None` if a scan drives no pin.
    pub scan: Option<Scan>,
    /// Makes a change of the board at a time.
    pub change: fn(Bench, u64, bool) -> Bench,
}

/// A scan as it is seen at the pins it drives.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// A pin that falls in every scan,
    pub gpio: u8,
    /// so often.
    pub falls: usize,
    /// The pin that moves last.
    pub last: u8,
}

/// Square e2, which a change happens at.
pub const SQUARE: usize = 12;
/// A sensor's reading under a piece.
const UNDER_A_PIECE: u32 = 2_748;
const EMPTY: u32 = 2_048;

fn switch(bench: Bench, at_us: u64, closed: bool) -> Bench {
    bench.set(at_us, SQUARE, u32::from(closed))
}

fn sensor(bench: Bench, at_us: u64, occupied: bool) -> Bench {
    bench.set(at_us, SQUARE, if occupied { UNDER_A_PIECE } else { EMPTY })
}

fn wire_hall(bench: Bench) -> Bench {
    bench.multiplexers(&hall::SELECT, &hall::ENABLE)
}

/// In every hall image the trays are read last.
const HALL_SCAN: Scan = Scan { gpio: hall::ENABLE[0], falls: 16, last: hall::TRAY_CLOCK };

/// `pico-reed-matrix`.
pub const REED_MATRIX: Board = Board {
    image: "pico-reed-matrix",
    wire: |bench| bench.matrix(&reed_matrix::ROWS, &reed_matrix::COLUMNS),
    debounce_us: DEFAULT_DEBOUNCE_US,
    scan: Some(Scan { gpio: reed_matrix::ROWS[0], falls: 1, last: reed_matrix::ROWS[11] }),
    change: switch,
};

/// `pico-reed-shift`.
pub const REED_SHIFT: Board = Board {
    image: "pico-reed-shift",
    wire: |bench| bench.chain(reed_shift::LOAD, reed_shift::CLOCK, reed_shift::DATA, 12),
    debounce_us: DEFAULT_DEBOUNCE_US,
    scan: Some(Scan { gpio: reed_shift::LOAD, falls: 1, last: reed_shift::CLOCK }),
    change: switch,
};

/// `pico-hall`.
pub const HALL: Board = Board {
    image: "pico-hall",
    wire: wire_hall,
    debounce_us: MAGNITUDE_DEBOUNCE_US,
    scan: Some(HALL_SCAN),
    change: sensor,
};

/// `pico-hall-polarity`.
pub const HALL_POLARITY: Board =
    Board { image: "pico-hall-polarity", debounce_us: POLARITY_DEBOUNCE_US, ..HALL };

/// `pico-clock`, whose lever changes; Black's side is down while it is open.
pub const CLOCK: Board = Board {
    image: "pico-clock",
    wire: |bench| bench.contact(0, clock::WHITE, true),
    debounce_us: DEFAULT_DEBOUNCE_US,
    scan: None,
    change: |bench, at_us, down| bench.contact(at_us, clock::WHITE, !down),
};

/// `pico-clock-characters`.
pub const CLOCK_CHARACTERS: Board = Board {
    image: "pico-clock-characters",
    wire: |bench| (CLOCK.wire)(bench).display(PCF8574_ADDRESS),
    ..CLOCK
};

/// Every image.
pub const BOARDS: [Board; 6] =
    [REED_MATRIX, REED_SHIFT, HALL, HALL_POLARITY, CLOCK, CLOCK_CHARACTERS];
