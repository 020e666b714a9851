//! Switches in a matrix: few pins for many switches. One row is driven at a time and all columns are read; a diode at each switch
//! keeps closed ones from faking others.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};

use crate::inputs::{BoardReading, InputError, ROWS, ReadBoard, board_of};
use crate::pins::{ActiveLevel, drive};

/// Columns of a matrix: the files, or slots of half a tray.
pub const COLUMNS: usize = 8;
/// Time from driving a row to reading it, in ns. The pull-ups inside a processor (80 kΩ at most) need it to charge a column: a metre of
/// wire that the row before had discharged (`docs/hardware/board.md`).
pub const MATRIX_SETTLE_NS: u32 = 10_000;

/// A driven-row matrix: row 0 is rank 1, row 7 rank 8, rows 8 and 9 White's tray (slots 0 to 7, 8 to 15), 10 and 11 Black's;
/// column 0 is file a. With 8 rows it is a board without trays.
#[derive(Debug)]
pub struct Matrix<R, C, D, const DRIVEN: usize> {
    rows: [R; DRIVEN],
    columns: [C; COLUMNS],
    delay: D,
    active: ActiveLevel,
    settle_ns: u32,
}

impl<R, C, D, const DRIVEN: usize> Matrix<R, C, D, DRIVEN>
where
    R: OutputPin,
    C: InputPin,
    D: DelayNs,
{
    /// A matrix whose driven row and closed columns have the level `active`; `settle_ns` pass between driving a row and reading it:
    /// [`MATRIX_SETTLE_NS`] unless the wiring is another.
    pub const fn new(
        rows: [R; DRIVEN],
        columns: [C; COLUMNS],
        delay: D,
        active: ActiveLevel,
        settle_ns: u32,
    ) -> Self {
        const { assert!(DRIVEN == 8 || DRIVEN == ROWS) };
        Self { rows, columns, delay, active, settle_ns }
    }

    /// Gives the pins back.
    pub fn release(self) -> ([R; DRIVEN], [C; COLUMNS], D) {
        (self.rows, self.columns, self.delay)
    }
}

impl<R, C, D, const DRIVEN: usize> ReadBoard for Matrix<R, C, D, DRIVEN>
where
    R: OutputPin,
    C: InputPin,
    D: DelayNs,
{
    type Squares = u64;

    fn read(&mut self) -> Result<BoardReading, InputError> {
        let mut closed = [0; ROWS];
        for (row, bits) in self.rows.iter_mut().zip(&mut closed) {
            drive(row, self.active, true)?;
            self.delay.delay_ns(self.settle_ns);
            let mut failure = None;
            for (index, column) in self.columns.iter_mut().enumerate() {
                match self.active.is_active(column) {
                    Ok(on) => *bits |= u8::from(on) << index,
                    Err(_) => failure = Some(InputError::Read),
                }
            }
            // Released in any case: two driven rows would read as one.
            drive(row, self.active, false)?;
            if let Some(error) = failure {
                return Err(error);
            }
        }
        Ok(board_of(closed))
    }
}
