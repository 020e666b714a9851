//! The formats of the `*.jsonl` files: what sensors said, what happened, what was inferred.
//!
//! JSON Lines in time order, read and written by outside tools: fixed. Sessions, tests, the journal
//! and bug reports use the same types.

mod bits;
mod file;
mod header;
mod inferred;
pub(crate) mod text;
mod trace;
mod truth;

pub use bits::Occupancy;
pub use file::{
    TRACE_VERSION, Trace, read_inferred, read_trace, read_truth, write_lines, write_trace,
};
pub use header::{BoardHeader, HeaderError, SensorKind, TraceHeader};
pub use inferred::{
    Alternative, InferredAnomaly, InferredLine, InferredPly, LaggedAnswer, LiveAnswer, Question,
};
pub use trace::{Reading, ReadingKind, SquareReading, TraceFileError};
pub use truth::{TruthAnomaly, TruthLine, TruthPly};
