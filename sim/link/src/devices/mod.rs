//! Simulated devices of other makers after public descriptions: boards that know their pieces or only the occupied
//! squares, and a clock, each with its maker's way to speak and its quirks.
//!
//! A device is sans-IO like the drivers of the hub that talk to it: time and bytes in, bytes out. It looks at a
//! [`Scene`]: in `sim` one board of a staged match, in `hall-sim` whatever was done to its squares. The same device serves virtual time, as fast as it can be
//! computed, and real time behind a pseudo-terminal. Everything is drawn from one seed.

mod certabo;
mod chesslink;
mod chessnut;
mod dgt;
mod dgt_bus;
mod repeating;
mod sentio;
mod tags;

use rules::{Color, Piece, Square};

pub use certabo::Certabo;
pub use chesslink::ChessLink;
pub use chessnut::Chessnut;
pub use dgt::{Conventions, Dgt, DgtQuirks};
pub use dgt_bus::{BusManners, DgtBus};
pub use sentio::Sentio;
pub use tags::TagPool;

/// Surroundings of a device: the pieces on one board and the clock beside it, as time passes.
pub trait Scene: Send {
    /// Lets time pass to `now_us`.
    fn run_until(&mut self, now_us: u64);

    /// The piece on a square.
    fn piece(&self, square: Square) -> Option<Piece>;

    /// A player's time left, microseconds.
    fn left_us(&self, color: Color) -> u64;

    /// The side whose time runs.
    fn running(&self) -> Option<Color>;

    /// Whether White's side of the lever is down.
    fn white_down(&self) -> bool;
}

/// A device on a serial line.
pub trait SerialDevice: Send {
    /// Time of its next action, microseconds of its scene's time.
    fn next_due_us(&self) -> u64;

    /// Lets time pass to `now_us`.
    fn run_until(&mut self, now_us: u64);

    /// Takes bytes from the line.
    fn receive(&mut self, bytes: &[u8]);

    /// Moves bytes for the line into `out`; how many.
    fn transmit(&mut self, out: &mut [u8]) -> usize;

    /// The cable is pulled: the device loses its power.
    fn power_off(&mut self);
}

/// Moves bytes that wait for the line into `out`; how many.
fn drain(waiting: &mut std::collections::VecDeque<u8>, out: &mut [u8]) -> usize {
    let length = out.len().min(waiting.len());
    for (place, byte) in out.iter_mut().zip(waiting.drain(..length)) {
        *place = byte;
    }
    length
}
