//! What a disk may hold after the power was cut.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Recording`] | one run of a program with every write recorded by `strace` |
//! | [`Replay`] | the disk after each of the recorded steps |
//! | [`Loss`] | the unsynced writes that a cut loses: all, none, some sectors |
//! | [`Fault`] | a disk whose system calls fail, or that is full |
//! | [`Faulty`] | a run on a faulty disk |
//!
//! A program that must lose nothing asks the system to write, and then to sync (`fsync`). Between the two a power cut may leave
//! all that was written, nothing of it, or some sectors and not others. Killing a process shows none of that, since the system
//! writes on. So the real program with the real SQLite runs once, recorded; then every disk that a cut could have left is made
//! and opened by the same code.
//!
//! Promised: every cut between two recorded writes; whole writes, no writes, and torn sectors. Left out: bit rot, and
//! a controller that reports a sync that it has not done.

mod disk;
mod recording;
mod replay;
mod step;

pub use disk::Loss;
pub use recording::{Effect, Fault, Faulty, Recording, RecordingError};
pub use replay::Replay;
