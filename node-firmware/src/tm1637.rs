//! Two four-digit displays with TM1637 chips, driven bit by bit over two pins each.
//!
//! The chip's bus: a transfer starts when data falls while the clock is high and stops when data rises while the clock is high. Bits
//! come lowest first; the chip reads each while the clock is high. After every eight the chip pulls data low for a ninth clock. A
//! command of the form 0x40 writes on from an address, 0xC0 and above is the address, 0x88 to 0x8F light the display in eight steps.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;

use crate::face::{Face, ShowClock};
use crate::inputs::InputError;
use crate::seven_segment::{Digits, seven_segment};

/// Half a clock of the bus, in ns: 100 kHz, where the chip takes 250, because modules have slow edges.
pub const TM1637_HALF_CLOCK_NS: u32 = 5_000;
/// Time after which everything is written again, in µs: a module that was plugged in late, or disturbed, is right soon.
pub const TM1637_REFRESH_US: u64 = 2_000_000;

const WRITE_ON: u8 = 0x40;
const FIRST_DIGIT: u8 = 0xc0;
const LIGHT: u8 = 0x88;

/// The steps of writing a display, one byte each.
const STEPS: u8 = 7;

/// One module. Its pins are open drain: high means released, so that the chip can pull data low.
#[derive(Debug)]
struct Module<C, D> {
    clock: C,
    data: D,
    wanted: Digits,
    /// Digits that are being written.
    writing: Digits,
    /// The next step; [`STEPS`] when everything is written.
    step: u8,
    written: Option<Digits>,
}

/// Two modules: White's and Black's. Of their bytes one is written at a time.
#[derive(Debug)]
pub struct Tm1637Pair<C, D, P> {
    modules: [Module<C, D>; 2],
    delay: P,
    /// 0 to 7.
    brightness: u8,
    refresh_at_us: u64,
}

impl<C: OutputPin, D: OutputPin, P: DelayNs> Tm1637Pair<C, D, P> {
    /// Two modules, White's clock and data and Black's, with a brightness of 0 to 7.
    pub fn new(white: (C, D), black: (C, D), delay: P, brightness: u8) -> Self {
        let modules = [white, black].map(|(clock, data)| Module {
            clock,
            data,
            wanted: [0; 4],
            writing: [0; 4],
            step: STEPS,
            written: None,
        });
        Self { modules, delay, brightness: brightness.min(7), refresh_at_us: 0 }
    }
}

impl<C: OutputPin, D: OutputPin, P: DelayNs> ShowClock for Tm1637Pair<C, D, P> {
    fn show(&mut self, face: &Face) {
        for (module, digits) in self.modules.iter_mut().zip(seven_segment(face)) {
            module.wanted = digits;
        }
    }

    fn step(&mut self, now_us: u64) -> Result<bool, InputError> {
        if now_us >= self.refresh_at_us {
            self.refresh_at_us = now_us.saturating_add(TM1637_REFRESH_US);
            self.modules.iter_mut().for_each(|module| module.written = None);
        }
        for module in &mut self.modules {
            if module.wants_writing() {
                return module.write_piece(&mut self.delay, self.brightness).map(|()| true);
            }
        }
        Ok(false)
    }
}

impl<C: OutputPin, D: OutputPin> Module<C, D> {
    fn wants_writing(&mut self) -> bool {
        if self.step == STEPS && self.written != Some(self.wanted) {
            self.writing = self.wanted;
            self.step = 0;
        }
        self.step < STEPS
    }

    /// One byte, with the start before and the stop behind it where the transfer has its ends.
    fn write_piece(&mut self, delay: &mut impl DelayNs, brightness: u8) -> Result<(), InputError> {
        let step = self.step;
        // After an error the writing starts again.
        self.step = 0;
        let (byte, starts, stops) = match step {
            0 => (WRITE_ON, true, true),
            1 => (FIRST_DIGIT, true, false),
            2 => (self.writing[0], false, false),
            3 => (self.writing[1], false, false),
            4 => (self.writing[2], false, false),
            5 => (self.writing[3], false, true),
            _ => (LIGHT | brightness, true, true),
        };
        if starts {
            self.start(delay)?;
        }
        self.write(byte, delay)?;
        if stops {
            self.stop(delay)?;
        }
        self.step = step + 1;
        if self.step == STEPS {
            self.written = Some(self.writing);
        }
        Ok(())
    }

    fn start(&mut self, delay: &mut impl DelayNs) -> Result<(), InputError> {
        set(&mut self.data, true)?;
        set(&mut self.clock, true)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.data, false)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.clock, false)
    }

    fn write(&mut self, byte: u8, delay: &mut impl DelayNs) -> Result<(), InputError> {
        for bit in 0..8 {
            set(&mut self.data, byte >> bit & 1 == 1)?;
            self.clock_once(delay)?;
        }
        // The chip acknowledges; the node ignores the answer, because it cannot do anything about a missing chip.
        set(&mut self.data, true)?;
        self.clock_once(delay)
    }

    fn clock_once(&mut self, delay: &mut impl DelayNs) -> Result<(), InputError> {
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.clock, true)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.clock, false)
    }

    fn stop(&mut self, delay: &mut impl DelayNs) -> Result<(), InputError> {
        set(&mut self.data, false)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.clock, true)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        set(&mut self.data, true)?;
        delay.delay_ns(TM1637_HALF_CLOCK_NS);
        Ok(())
    }
}

fn set<P: OutputPin>(pin: &mut P, high: bool) -> Result<(), InputError> {
    if high { pin.set_high() } else { pin.set_low() }.map_err(|_| InputError::Drive)
}
