//! The nodes as the hub sees them.

mod board;
mod clock;
mod debounce;
mod faults;
mod host;
mod line;
mod matrix;
