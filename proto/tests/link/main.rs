//! Tests of the serial link's two halves of the codec and of the hub's end, from outside.

mod codec;
mod commands;
mod exchange;
mod host;
mod messages;
mod pinned;
