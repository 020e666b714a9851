//! Sixty-four hall sensors behind four analog multiplexers and one converter.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;

use crate::inputs::{BoardReading, InputError, ReadBoard, ReadTrays, Samples};

/// Multiplexers of a board; one carries two ranks.
pub const MULTIPLEXERS: usize = 4;
/// Inputs of one multiplexer (74HC4067).
pub const CHANNELS: usize = 16;
/// Time from choosing a sensor to converting it, in ns. It is three times the time in which a 74HC4067 at 3.3 V settles to half a count
/// of 12 bits (`docs/hardware/board.md`).
pub const MULTIPLEXER_SETTLE_NS: u32 = 1_000;

/// One channel of an analog-to-digital converter; embedded-hal 1.0 has no trait for it.
pub trait AnalogInput {
    /// Converts once, to 12 bits: 0 to 4095.
    ///
    /// # Errors
    /// If the converter gave no value.
    fn sample(&mut self) -> Result<u16, InputError>;
}

/// The wiring of a hall board: four select lines to all multiplexers, an enable line (active low) to each, their outputs joined.
/// Multiplexer *m* carries squares 16*m* to 16*m* + 15 in the order of its inputs: ranks 2*m* + 1 and 2*m* + 2, files from a.
#[derive(Debug)]
pub struct HallMultiplexer<S, E, A, T, D> {
    select: [S; 4],
    enable: [E; MULTIPLEXERS],
    analog: A,
    trays: T,
    delay: D,
}

impl<S, E, A, T, D> HallMultiplexer<S, E, A, T, D>
where
    S: OutputPin,
    E: OutputPin,
    A: AnalogInput,
    T: ReadTrays,
    D: DelayNs,
{
    /// Select lines S0 to S3, enable lines of ranks 1 and 2, 3 and 4, 5 and 6, 7 and 8 (all high), the joined outputs, and
    /// the trays ([`crate::NoTrays`] without).
    pub const fn new(
        select: [S; 4],
        enable: [E; MULTIPLEXERS],
        analog: A,
        trays: T,
        delay: D,
    ) -> Self {
        Self { select, enable, analog, trays, delay }
    }
}

impl<S, E, A, T, D> ReadBoard for HallMultiplexer<S, E, A, T, D>
where
    S: OutputPin,
    E: OutputPin,
    A: AnalogInput,
    T: ReadTrays,
    D: DelayNs,
{
    type Squares = Samples;

    fn read(&mut self) -> Result<BoardReading<Samples>, InputError> {
        let mut squares = [0; MULTIPLEXERS * CHANNELS];
        for channel in 0..CHANNELS {
            for (bit, line) in self.select.iter_mut().enumerate() {
                let high = channel >> bit & 1 == 1;
                if high { line.set_high() } else { line.set_low() }
                    .map_err(|_| InputError::Drive)?;
            }
            for (multiplexer, enable) in self.enable.iter_mut().enumerate() {
                enable.set_low().map_err(|_| InputError::Drive)?;
                self.delay.delay_ns(MULTIPLEXER_SETTLE_NS);
                let sample = self.analog.sample();
                // Switched off in any case: two multiplexers that are on would short two sensors.
                enable.set_high().map_err(|_| InputError::Drive)?;
                if let Some(place) = squares.get_mut(multiplexer * CHANNELS + channel) {
                    *place = sample?;
                }
            }
        }
        let [white_tray, black_tray] = self.trays.read_trays()?;
        Ok(BoardReading { squares, white_tray, black_tray })
    }
}
