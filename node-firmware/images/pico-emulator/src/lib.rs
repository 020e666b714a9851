//! The Pico's images in rp2040js, an emulator of the RP2040: nobody has to have a Pico to know that its scan, its USB and its UART
//! work. The emulator counts the processor's cycles, so that it tells, too, what the images need of time.
//!
//! * [`Bench`]: an image with its wiring and what happens to it.
//! * [`Seen`]: what came of it.
//!
//! The emulator has no caches: a Pico takes longer for what is not in its cache of the flash. It has no line, either: a byte that the
//! UART or USB takes counts as sent.

mod bench;
pub mod boards;
mod figures;
mod seen;

pub use bench::Bench;
pub use figures::{Figures, measure};
pub use seen::{Edge, Level, Seen};
