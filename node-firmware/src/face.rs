//! Contents of a clock's displays, for any kind of display.

use proto::link::Side;

use crate::inputs::InputError;
use crate::menu::MenuItem;

/// Below this a time is shown with tenths of a second, in ms.
pub const TENTHS_BELOW_MS: u32 = 20_000;
/// Half a period of blinking, in µs.
pub const BLINK_US: u64 = 500_000;

/// One player's side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideFace {
    /// Remaining time in ms; 0 = flag fallen.
    pub ms: u32,
    /// Remaining delay of the current ply, in ms.
    pub delay_left_ms: u32,
    /// Whether this side's time runs.
    pub runs: bool,
    /// Whether this side's flag fell first.
    pub flag: bool,
}

/// Subject of the two displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// The times, while one runs or both wait for the first press.
    Times,
    /// The times, stopped in the middle.
    Paused,
    /// The times of the factory setting, because power was lost and the clock has not been touched since.
    PowerLost,
    /// An item of the menu.
    Menu(MenuItem),
}

/// Contents of a clock's displays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// White's side.
    pub white: SideFace,
    /// Black's side.
    pub black: SideFace,
    /// Subject.
    pub showing: Showing,
    /// Whether blinking parts are lit now.
    pub lit: bool,
}

impl Face {
    /// One side.
    pub const fn side(&self, side: Side) -> &SideFace {
        match side {
            Side::White => &self.white,
            Side::Black => &self.black,
        }
    }
}

/// A display, or two. Slow ones: what is to be shown is handed over at once, and written bit by bit, so that the contacts are
/// read on time.
pub trait ShowClock {
    /// From now on shows this.
    fn show(&mut self, face: &Face);

    /// Writes a piece of the changed contents; takes half a millisecond at most. `now_us` are any microseconds that pass. False when
    /// there is nothing to write.
    ///
    /// # Errors
    /// If the display does not answer; the next call starts it again.
    fn step(&mut self, now_us: u64) -> Result<bool, InputError>;
}

/// A clock without displays.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDisplay;

impl ShowClock for NoDisplay {
    fn show(&mut self, _: &Face) {}

    fn step(&mut self, _: u64) -> Result<bool, InputError> {
        Ok(false)
    }
}

/// A time as it is read: hours and minutes, minutes and seconds, or seconds and tenths. Whole seconds are rounded up, so that 0:00
/// means a fallen flag; tenths are, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// From one hour: hours, minutes, seconds.
    Hours(u32, u32, u32),
    /// Minutes, seconds.
    Minutes(u32, u32),
    /// Below [`TENTHS_BELOW_MS`]: seconds, tenths.
    Tenths(u32, u32),
}

pub(crate) const fn told(ms: u32) -> Told {
    if ms == 0 {
        return Told::Minutes(0, 0);
    }
    if ms <= TENTHS_BELOW_MS {
        let tenths = ms.div_ceil(100);
        return Told::Tenths(tenths / 10, tenths % 10);
    }
    let seconds = ms.div_ceil(1000);
    if seconds < 3600 {
        Told::Minutes(seconds / 60, seconds % 60)
    } else {
        Told::Hours(seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
