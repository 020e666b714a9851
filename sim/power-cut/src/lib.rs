//! Contents of a disk after a power cut.
//!
//! A program that must lose nothing asks the system to write, and then to sync (`fsync`). Between the two a power cut may leave
//! anything: all writes, none of them, or some sectors and not others. Killing a process shows none of that, since the system writes
//! on. So the tests run a program once and record every write ([`Recording::of`], by `strace`, on the real program with the real
//! SQLite). Then they rebuild every disk that a cut could have left ([`Replay`]), and the same code opens it.
//!
//! `strace` also makes system calls fail, which simulates full and broken disks ([`Fault`]).

mod disk;
mod recording;
mod step;

pub use disk::Loss;
pub use recording::{Effect, Fault, Faulty, Recording, RecordingError, Replay};
