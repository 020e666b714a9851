//! Formats of the `*.jsonl` files: readings of sensors, the truth of a simulated match, inferred plies.
//!
//! | noun | what it is |
//! |---|---|
//! | [`Trace`] | a header and the readings of one match |
//! | [`Reading`] | a time, a board, and what a square, tray or clock reported |
//! | [`TraceHeader`] | game, rulebook, time control, sensors of each board |
//! | [`TruthLine`] | a ply or an incident as it happened |
//! | [`InferredLine`] | a ply, an anomaly or a question of the tracker, with probabilities |
//!
//! ```
//! let (trace, errors) = readings::read_trace(include_bytes!("../../../tests/traces/reed-club.trace.jsonl"))?;
//! assert!(errors.is_empty());
//! assert!(trace.readings.is_sorted_by_key(|reading| reading.t_us));
//! # Ok::<(), readings::TraceFileError>(())
//! ```
//!
//! JSON Lines in time order, read and written by other programs: the formats are fixed. Hubs, drivers of devices, the tracker, the
//! simulator and tests use the same types. This crate reads and writes memory, not files.
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
