//! Switches in a matrix: few pins for many switches. One row is driven at a time and all columns are read; a diode at each switch
//! keeps closed ones from faking others.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};

use crate::pins::ActiveLevel;

/// Something that can be read as up to 64 switches at once.
pub trait Scan {
    /// Why it could not be read.
    type Error;

    /// Reads every switch once. Bit *n* is switch *n*, set = closed (occupied).
    ///
    /// # Errors
    /// If a pin cannot be driven or read.
    fn scan(&mut self) -> Result<u64, Self::Error>;
}

/// A pin of the matrix failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixError<R, C> {
    /// A row could not be driven.
    Row(R),
    /// A column could not be read.
    Column(C),
}

/// `ROWS` driven rows and `COLUMNS` read columns, at most 64 switches. Switch *n* lies in row *n* / `COLUMNS`, column *n* %
/// `COLUMNS`; for a board, rows are ranks from 1 and columns files from a, so that switch 0 is a1 and 63 is h8.
#[derive(Debug)]
pub struct Matrix<R, C, D, const ROWS: usize, const COLUMNS: usize> {
    rows: [R; ROWS],
    columns: [C; COLUMNS],
    delay: D,
    active: ActiveLevel,
    settle_ns: u32,
}

impl<R, C, D, const ROWS: usize, const COLUMNS: usize> Matrix<R, C, D, ROWS, COLUMNS>
where
    R: OutputPin,
    C: InputPin,
    D: DelayNs,
{
    /// A matrix whose driven row and closed columns have the level `active`; `settle_ns` pass between driving a row and reading it.
    pub const fn new(
        rows: [R; ROWS],
        columns: [C; COLUMNS],
        delay: D,
        active: ActiveLevel,
        settle_ns: u32,
    ) -> Self {
        const { assert!(ROWS * COLUMNS <= 64) };
        Self { rows, columns, delay, active, settle_ns }
    }

    /// Gives the pins back.
    pub fn release(self) -> ([R; ROWS], [C; COLUMNS], D) {
        (self.rows, self.columns, self.delay)
    }
}

impl<R, C, D, const ROWS: usize, const COLUMNS: usize> Scan for Matrix<R, C, D, ROWS, COLUMNS>
where
    R: OutputPin,
    C: InputPin,
    D: DelayNs,
{
    type Error = MatrixError<R::Error, C::Error>;

    fn scan(&mut self) -> Result<u64, Self::Error> {
        let mut closed = 0;
        for (row_index, row) in self.rows.iter_mut().enumerate() {
            drive(row, self.active, true).map_err(MatrixError::Row)?;
            self.delay.delay_ns(self.settle_ns);
            let mut failure = None;
            for (column_index, column) in self.columns.iter_mut().enumerate() {
                match self.active.is_active(column) {
                    Ok(false) => {}
                    Ok(true) => closed |= 1 << (row_index * COLUMNS + column_index),
                    Err(error) => failure = Some(error),
                }
            }
            // Released in any case: two driven rows would read as one.
            drive(row, self.active, false).map_err(MatrixError::Row)?;
            if let Some(error) = failure {
                return Err(MatrixError::Column(error));
            }
        }
        Ok(closed)
    }
}

fn drive<P: OutputPin>(pin: &mut P, active: ActiveLevel, on: bool) -> Result<(), P::Error> {
    if on == (active == ActiveLevel::High) { pin.set_high() } else { pin.set_low() }
}
