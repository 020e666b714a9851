//! The nodes as the hub sees them.

mod board;
mod clock;
mod debounce;
mod delay;
mod displays;
mod hall;
mod host;
mod main_loop;
mod matrix;
mod menu;
mod pins;
mod quality;
mod update;
mod wirings;
