//! The serial link under fire, in virtual time: the node's real end and the hub's real end on a line that loses, doubles,
//! garbles, delays and stalls, while cables are pulled, nodes lose their power and hubs are killed.
//!
//! * [`Noise`] and [`Line`] are the decorator: put on any line of bytes, they do to it what bad cables do, the same for the same
//!   seed.
//! * A [`Plan`] is what happens in one run, drawn from a seed; [`run`] lets it happen and checks every step: each
//!   reading of the node is in the hub's journal once and in order, or a gap says that it is missing, within
//!   [`SETTLE_MAX_US`] of the last fault; and no exchange of time tells the hub what is not true.
//! * [`devices`] are those of other makers, for whatever puts them on a line.
//! * A campaign is many seeds: `cargo xtask link --runs 1000000`.
//!
//! What the runs do not look at: what bytes mean beyond their being equal (the hub's tests do), several nodes on one line, and
//! damage that a CRC-32C does not show (one garbled frame in four thousand millions).
#![warn(missing_docs)]

pub mod books;
mod campaign;
mod commands;
pub mod devices;
pub mod line;
mod node;
mod noise;
mod observer;
mod outcome;
mod plan;
mod readings;
mod sabotage;
mod world;
mod writes;

pub use books::Counts;
pub use campaign::Totals;
pub use line::Line;
pub use node::{Node, OtherNode, Sensors, Timer};
pub use noise::{ByteFault, Noise, SWAP_WINDOW_BYTES};
pub use observer::{Heard, Nobody, Observer, Who};
pub use outcome::{Failure, Outcome};
pub use plan::{BufferBytes, Direction, Incident, Plan, Release, Writes};
pub use sabotage::Sabotage;
pub use world::{SETTLE_MAX_US, run, run_sabotaged};
pub use writes::pump;
