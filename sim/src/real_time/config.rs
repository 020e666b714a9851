//! Configuration of a hall, and what it plays.

use std::{path::PathBuf, time::Duration};

use readings::{TraceHeader, TruthLine};
use rules::{BoardId, bpgn::BpgnGame};

use crate::{Equipment, Profile, Sensors};

/// Maximum speed of a hall: above it, a node's messages take longer than the intervals that they report.
pub const MAX_SPEED: f64 = 100.0;

/// Configuration of a hall.
#[derive(Clone, Debug)]
pub struct HallConfig {
    /// The recorded games, dealt to the tables in turn: table 1 plays the first, then the first
    /// after those of the other tables, and so on.
    pub games: Vec<BpgnGame>,
    /// Players.
    pub profile: Profile,
    /// Whether all boards have reserve trays.
    pub trays: bool,
    /// Seed of all randomness.
    pub seed: u64,
    /// Speed in multiples of real time, above 0 and at most [`MAX_SPEED`].
    pub speed: f64,
    /// Number of tables; with fewer games than tables the last ones stay empty.
    pub tables: usize,
    /// Existing folder for the devices' links.
    pub device_folder: PathBuf,
    /// From opening the hall to the first match's trace, in real time.
    pub lead_in: Duration,
}

impl HallConfig {
    pub(super) fn equipment(&self, sensors: Sensors) -> Equipment {
        let trays: &[BoardId] = if self.trays { &BoardId::ALL } else { &[] };
        Equipment { sensors: sensors.with_trays(trays), ..Equipment::default() }
    }
}

/// A match of the hall and what happens in it.
#[derive(Clone, Debug, PartialEq)]
pub struct HallMatch {
    /// Its table, from 1.
    pub table: usize,
    /// The simulation's name for it, `table1-match1`.
    pub match_id: String,
    /// Begin of its trace, microseconds of hall time since the hall was opened. Times in `truth` count from here.
    pub begin_us: u64,
    /// Its end.
    pub end_us: u64,
    /// The header its trace would have.
    pub header: TraceHeader,
    /// Events of the match: as [`crate::perform`] gives for the same game, profile, seed and name, except that clocks
    /// and contacts are in order (a hall has [`Fault`](super::Fault)s instead), and that
    /// a clock that runs out has the hall's base time to run.
    pub truth: Vec<TruthLine>,
}
