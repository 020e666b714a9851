//! From sensor readings to plies and anomalies, with honest probabilities.
//!
//! Readings of one board between two presses form a [segment]. Each position that a
//! hypothesis has for that board explains the segment by the [candidates] that its changed squares
//! name, weighed by the [observation] model and by soft rules ([legality]). A hypothesis is a
//! [joint] state: both positions and all four reserves. [Expanding](expand) the beam over a segment
//! adds a layer to the [trellis], in which equal states are merged and every way to them is kept;
//! forward and backward passes over it give [answers](answer) at the press, some plies later and at
//! the end. What is new about them is [published](publish) as [`TrackerOutput`].
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness; time comes in with
//! the readings. It never fails on bad input: it returns what it believes and what it noticed.
//! Equal readings give equal outputs, bit for bit, on every machine: sums and products of `f64` in a
//! fixed order.
#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)]

mod accident;
mod alternatives;
mod anomaly;
mod answer;
mod beam;
mod boards;
mod candidates;
mod clock;
mod cuts;
mod doubt;
mod early_answer;
mod effect;
mod expand;
pub mod facts;
mod given;
mod guide;
mod holding;
mod identity;
mod illegal_ply;
mod join;
mod joint;
mod legality;
mod observation;
mod output;
pub mod prior;
mod publish;
mod questions;
mod reanchor;
mod replay;
mod segment;
mod selection;
mod sensor;
mod sequence;
mod setting;
mod shares;
mod stories;
mod successors;
mod summary;
mod surveys;
mod takeback;
mod told;
mod tracker;
mod tray;
mod trellis;
mod watch;
mod ways;
mod whole;

pub use output::{AnomalyCode, AnomalyId, AnomalyReport, PlyId, PlyReport, Stage, TrackerOutput};
pub use tracker::{Told, Tracker, TrackerConfig};
