//! The nodes as the hub sees them.

mod board;
mod clock;
mod debounce;
mod delay;
mod displays;
mod faults;
mod hall;
mod host;
mod line;
mod main_loop;
mod matrix;
mod menu;
mod pins;
mod quality;
mod update;
mod wirings;
