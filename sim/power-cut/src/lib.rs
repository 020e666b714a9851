//! What a disk may hold after the power was cut.
//!
//! A program that must lose nothing asks the system to write, and then to make sure of it (`fsync`). Between the two a power cut may
//! leave anything: all that was written, nothing of it, or some sectors and not others. Killing a process shows none of that,
//! since the system writes on. So a program is run once with every write recorded ([`Recording::of`], by `strace`, on the
//! real program with the real SQLite), and then every disk that a cut could have left is made anew ([`Replay`]) and
//! opened by the same code.
//!
//! `strace` also makes system calls fail, which is how full and broken disks are tried ([`Fault`]).

mod disk;
mod recording;
mod step;

pub use disk::Loss;
pub use recording::{Effect, Fault, Faulty, Recording, RecordingError, Replay};
