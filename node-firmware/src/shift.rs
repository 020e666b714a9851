//! Switches on a chain of 74HC165 shift registers: three pins for any number of them.
//!
//! While the load line is low the chips load the levels of their eight inputs. The last input (D7) of the first chip is then at the
//! chain's output, and each rising edge of the clock brings the next one.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};

use crate::inputs::{BoardReading, InputError, ROWS, ReadBoard, ReadTrays, board_of, trays_of};

/// Time for which load and each half of the clock are held, in ns. A 74HC165 at 3.3 V needs less than 100 ns for each (Nexperia's data
/// sheet, slow end).
pub const SHIFT_HOLD_NS: u32 = 100;

/// `CHIPS` registers in a chain, the first one next to the processor; inputs are low where a switch is closed. Twelve make a board
/// (chip *n* is row *n* of [`crate::ROWS`]), eight one without trays, four two trays. Input D0 is file a.
#[derive(Debug)]
pub struct ShiftChain<L, K, I, D, const CHIPS: usize> {
    load: L,
    clock: K,
    data: I,
    delay: D,
}

impl<L, K, I, D, const CHIPS: usize> ShiftChain<L, K, I, D, CHIPS>
where
    L: OutputPin,
    K: OutputPin,
    I: InputPin,
    D: DelayNs,
{
    /// A chain: load is active low, the clock rests low.
    pub const fn new(load: L, clock: K, data: I, delay: D) -> Self {
        Self { load, clock, data, delay }
    }

    /// Reads the chips in the chain's order: bit *n* of a byte = input D*n* is low.
    fn shift(&mut self) -> Result<[u8; CHIPS], InputError> {
        let failed = InputError::Drive;
        self.clock.set_low().map_err(|_| failed)?;
        self.load.set_low().map_err(|_| failed)?;
        self.delay.delay_ns(SHIFT_HOLD_NS);
        self.load.set_high().map_err(|_| failed)?;
        self.delay.delay_ns(SHIFT_HOLD_NS);
        let mut chips = [0; CHIPS];
        for chip in &mut chips {
            for _ in 0..8 {
                let closed = self.data.is_low().map_err(|_| InputError::Read)?;
                *chip = *chip << 1 | u8::from(closed);
                self.clock.set_high().map_err(|_| failed)?;
                self.delay.delay_ns(SHIFT_HOLD_NS);
                self.clock.set_low().map_err(|_| failed)?;
                self.delay.delay_ns(SHIFT_HOLD_NS);
            }
        }
        Ok(chips)
    }
}

macro_rules! read_board {
    ($($chips:literal)*) => {$(
        impl<L: OutputPin, K: OutputPin, I: InputPin, D: DelayNs> ReadBoard
            for ShiftChain<L, K, I, D, $chips>
        {
            type Squares = u64;

            fn read(&mut self) -> Result<BoardReading, InputError> {
                let mut rows = [0; ROWS];
                rows[..$chips].copy_from_slice(&self.shift()?);
                Ok(board_of(rows))
            }
        }
    )*};
}

// Twelve registers with trays, eight without.
read_board!(8 12);

impl<L: OutputPin, K: OutputPin, I: InputPin, D: DelayNs> ReadTrays for ShiftChain<L, K, I, D, 4> {
    fn read_trays(&mut self) -> Result<[u16; 2], InputError> {
        self.shift().map(trays_of)
    }
}
