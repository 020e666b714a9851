//! The Pico's images in rp2040js, an emulator of the RP2040: no Pico is needed to test their scan, their USB and their UART. The
//! emulator counts the processor's cycles, so it also measures the time that the images need.
//!
//! * [`Bench`]: an image with its wiring and what happens to it.
//! * [`Seen`]: the results of the run.
//!
//! The emulator has no caches: a Pico takes longer for code that is not in its flash cache. The emulator has no line either: a byte
//! that the UART or USB accepts counts as sent.

mod bench;
pub mod boards;
mod figures;
mod seen;

pub use bench::{Bench, images_folder};
pub use figures::{Figures, measure};
pub use seen::{Edge, Level, Seen};
