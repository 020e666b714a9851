//! The formats of the `*.jsonl` files: what sensors said, what happened, what was inferred.
//!
//! JSON Lines in time order, read and written by outside tools: the formats are fixed. Hubs, drivers of devices, the tracker,
//! the simulator and tests use the same types. This crate reads and writes memory, not files.
#![warn(missing_docs)]

mod bits;
mod file;
mod header;
mod inferred;
pub mod text;
mod trace;
mod truth;

pub use bits::Occupancy;
pub use file::{Trace, read_trace, write_lines};
pub use header::{BoardHeader, SensorKind, TraceHeader};
pub use inferred::{Alternative, InferredAnomaly, InferredLine, InferredPly, LiveAnswer, Question};
pub use trace::{HandFrom, Reading, ReadingKind, SquareReading, TraceFileError};
pub use truth::{TruthAnomaly, TruthLine, TruthPly};
