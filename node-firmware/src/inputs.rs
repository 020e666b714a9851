//! Readings of a board at one instant, for any wiring: a matrix, a chain of shift registers, analog multiplexers.

/// Readings of a board's sensors at one instant. `Q` is the type of the squares' readings: a bitboard of closed switches, or
/// [`Samples`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardReading<Q = u64> {
    /// The squares: bit 0 (or number 0) = a1, bit 63 = h8.
    pub squares: Q,
    /// Occupied slots of the tray White drops from: bit 0 = slot 0.
    pub white_tray: u16,
    /// Occupied slots of the tray Black drops from.
    pub black_tray: u16,
}

/// One reading of each hall sensor, in counts of a converter of 12 bits, a1 first.
pub type Samples = [u16; 64];

/// The wiring of a board.
pub trait ReadBoard {
    /// Readings of its squares.
    type Squares;

    /// Reads every sensor once. A board without trays reads them empty.
    ///
    /// # Errors
    /// If a pin or the converter fails.
    fn read(&mut self) -> Result<BoardReading<Self::Squares>, InputError>;
}

/// The wiring of two reserve trays.
pub trait ReadTrays {
    /// Reads every slot once: White's tray, Black's tray.
    ///
    /// # Errors
    /// If a pin cannot be driven or read.
    fn read_trays(&mut self) -> Result<[u16; 2], InputError>;
}

/// A board without trays.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrays;

impl ReadTrays for NoTrays {
    fn read_trays(&mut self) -> Result<[u16; 2], InputError> {
        Ok([0; 2])
    }
}

/// Reason why a board could not be read. Pins of a processor's own never fail; those behind a bus can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputError {
    /// A row, a select line or a clock could not be driven.
    Drive,
    /// A column or a data line could not be read.
    Read,
    /// The analog-to-digital converter gave no value.
    Convert,
}

/// Rows of eight switches each: eight ranks from the first, files from a in bit 0; then White's tray, slots 0 to 7 and 8 to 15;
/// then Black's.
pub const ROWS: usize = 12;

/// The board that so many of the first [`ROWS`] rows make up.
pub(crate) fn board_of(rows: [u8; ROWS]) -> BoardReading {
    let [a, b, c, d, e, f, g, h, trays @ ..] = rows;
    let [white_tray, black_tray] = trays_of(trays);
    BoardReading { squares: u64::from_le_bytes([a, b, c, d, e, f, g, h]), white_tray, black_tray }
}

/// The trays that four rows make up.
pub(crate) const fn trays_of([w0, w1, b0, b1]: [u8; 4]) -> [u16; 2] {
    [u16::from_le_bytes([w0, w1]), u16::from_le_bytes([b0, b1])]
}
