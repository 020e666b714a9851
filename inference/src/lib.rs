//! From sensor readings to plies and anomalies, with honest probabilities.
//!
//! Readings of one board between two presses form a segment. A hypothesis is a joint state: both positions and all four
//! reserves. Each closed segment is one step of a filter over hypotheses; its layers and edges are a trellis, and forward and
//! backward passes over that give the probability of each ply at the press, some plies later and at the end.
//!
//! The rooms, from those that use all others down to those that use none:
//!
//! | room | what is in it |
//! |---|---|
//! | [`tracker`] | readings in, reports out: when a press is explained, what is said |
//! | [`second_pass`] | a finished match followed once more |
//! | [`questions`] | which answers by a person would settle most |
//! | [`anomaly`] | one file a code; [`anomaly::monitors`] call them, [`anomaly::support`] has what they need |
//! | [`answers`] | from posteriors to the plies that people read |
//! | [`beam`] | the filter: one step over a closed segment, and what survives it |
//! | [`proposal`] | what may have been played: candidates, sequences, transitions |
//! | [`facts`] | what people know: files, and how likely they say it |
//! | [`trellis`] | layers, edges, both passes; conditioned on facts; sampled paths; the likeliest record |
//! | [`state`] | what a hypothesis is: positions, reserves, trays |
//! | [`observation`] | how likely a segment is if a ply was made |
//! | [`sensing`] | from readings to one board's segment |
//! | [`explanation`], [`report`], [`params`], [`setting`] | types that all rooms share, and every number of the model |
//!
//! This crate is pure: no clock, file, socket, thread, global or randomness; time comes in with
//! the readings. It never fails on bad input: it returns what it believes and what it noticed.
//! Equal readings give equal outputs, bit for bit, on every machine: sums and products of `f64` in a
//! fixed order.
#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)]

mod anomaly;
mod answers;
mod beam;
mod explanation;
pub mod facts;
mod observation;
mod params;
mod proposal;
mod questions;
mod report;
mod second_pass;
mod sensing;
mod setting;
mod state;
mod tracker;
mod trellis;

pub use report::{AnomalyCode, AnomalyId, AnomalyReport, PlyId, PlyReport, Stage, TrackerOutput};
pub use tracker::{Tracker, TrackerConfig};
