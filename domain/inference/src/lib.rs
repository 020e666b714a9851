//! From sensor readings to plies and anomalies, with honest probabilities.
//!
//! ```text
//! w(h -> h') = p(squares | plies) · p(pattern) · p(choice | position, reserve) · p(reserves) · p(trays)
//! p(ply | readings) ∝ Σ over the edges with the ply of forward(h) · w(h -> h') · backward(h')
//! ```
//!
//! The readings of one board between two presses form a segment. A hypothesis `h` is a joint state:
//! both positions and all four reserves. Each closed segment is one step of a filter over
//! hypotheses, with the weight `w`. The steps are the layers of a trellis. Forward and backward
//! passes over the trellis give the probability of each ply at the press, some plies later, and at
//! the end.
//!
//! The rooms, in order: a room uses only the rooms below it.
//!
//! | room | contents |
//! |---|---|
//! | [`tracker`] | readings in, reports out: when a press is explained, and the outputs |
//! | [`questions`] | the questions to people about the least certain plies |
//! | [`anomaly`] | [`anomaly::monitors`] call [`anomaly::detectors`], one file a code, with the means of [`anomaly::segments`], [`anomaly::hands`] and [`anomaly::trays`] |
//! | [`answers`] | from posteriors to the plies that people read |
//! | [`beam`] | the filter: one step over a closed segment, resampling, and a finished match followed once more |
//! | [`proposal`] | candidates, sequences and transitions that may explain a segment |
//! | [`facts`] | facts that people tell: files, and their likelihoods |
//! | [`trellis`] | layers, edges, both passes; conditioned on facts; the likeliest record |
//! | [`state`] | the parts of a hypothesis: positions, reserves, trays |
//! | [`observation`] | the likelihood of a segment, given a ply |
//! | [`sensing`] | from readings to one board's segment |
//! | [`back_rank`], [`explanation`], [`report`], [`params`], [`hand_times`] | types that all rooms share, the soft rules with their numbers, and the times of hands |
//!
//! This crate is pure: it uses no clock, file, socket, thread, global or true randomness, and time
//! comes in with the readings. It never fails on bad input. Equal readings give equal outputs, bit
//! for bit, on every machine, because sums and products of `f64` have a fixed order.
#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)]

mod anomaly;
mod answers;
mod back_rank;
mod beam;
mod explanation;
pub mod facts;
pub mod hand_times;
mod observation;
mod params;
mod proposal;
mod questions;
mod report;
mod sensing;
mod state;
mod tracker;
mod trellis;

pub use report::{AnomalyCode, AnomalyId, AnomalyReport, PlyId, PlyReport, Stage, TrackerOutput};
pub use tracker::{Tracker, TrackerConfig, since_last_start};
