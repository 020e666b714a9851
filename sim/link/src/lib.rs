//! The serial link in virtual time: lines that lose, double, garble, delay and stall, and what is put on their far ends.
//!
//! * [`Noise`] and [`Line`] are the decorator: put on any line of bytes, they do to it what bad cables do, the same for the same
//!   seed.
//! * A [`Node`] is the firmware's own end of the link behind a timer; an [`OtherNode`] has firmware of another release.
//! * [`devices`] are those of other makers, for whatever puts them on a line.
//!
//! The campaign of the link is a class of the hall's, which puts all of these under the hub's own ports: `cargo xtask link`.
#![warn(missing_docs)]

pub mod devices;
pub mod line;
mod node;
mod noise;
mod writes;

pub use line::Line;
pub use node::{Node, OtherNode, Sensors, Timer};
pub use noise::{ByteFault, Noise, SWAP_WINDOW_BYTES};
pub use writes::{Writes, pump};
