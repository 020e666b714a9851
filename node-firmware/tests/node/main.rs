//! The nodes as the hub sees them.

mod board;
mod clock;
mod debounce;
mod host;
mod matrix;
