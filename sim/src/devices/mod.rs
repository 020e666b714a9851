//! Devices of other makers ([`link_sim::devices`]) that look at a [`World`]: one board of a [script](crate::Script). In the hall a task puts them
//! behind a pseudo-terminal ([`Hall::attach`](crate::real_time::Hall::attach)).

mod world;

pub use link_sim::devices::{
    BusManners, Certabo, ChessLink, Chessnut, Conventions, Dgt, DgtBus, DgtQuirks, Scene, Sentio,
    SerialDevice, TagPool,
};
pub use world::{CLOCKS_SET_AFTER_US, World};
