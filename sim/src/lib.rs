//! A simulated hall: players with hands, boards, links and faults; and how right a tracker of it was.
//!
//! Nobody has recorded a real bughouse table with reed boards, so Twinboard is developed against
//! simulated ones. [`perform`] plays a recorded game with hands by the table in [`profile`] and
//! gives the trace (what the sensors said) and the truth (what happened), in virtual time; [`hall`]
//! lets the same happen in real time, on serial devices that a hub can open.
//!
//! Data flows one way: a record in BPGN or PGN becomes a [`RecordedGame`], that becomes a plan (which plies, set up how), the plan is
//! staged (who touches what when), which gives a [`Script`] of contacts and levers, and the
//! node firmware makes readings of that. Everything is drawn from one seed, in a stream of its own
//! for every question, so that a change of one behaviour does not shuffle the others.

pub mod accuracy;
pub mod baseline;
mod board_fault;
mod chance;
mod contact;
mod device;
pub mod devices;
mod error;
pub mod games;
pub mod hall;
mod hand;
mod hands;
mod lever_clock;
pub mod magnet;
pub mod measured;
mod perform;
mod plan;
mod players;
pub mod profile;
mod recorded;
pub mod score;
mod script;
mod sense;
mod sensors;
mod staging;
mod standing;
mod switch_fault;
mod technique;
mod tray;

/// Times and shares that hands are drawn by, for whoever works out what can be told of them at best.
pub mod times {
    pub use crate::{
        hand::{FASTEST, GRASP_US, SLOWEST, mean_way_to_clock_us},
        staging::{EARLY_PRESS_MS, OTHER_HAND_MS},
        technique::{OFF_CENTRE_MS, READ_LATE_SHARE},
    };
}

pub use board_fault::LevelDrift;
pub use contact::Edge;
pub use error::SimError;
pub use hands::{Factors, ParseFactorsError};
pub use perform::{Equipment, Performance, perform, perform_with, script, script_with};
pub use players::{HandsFrom, Players, Population};
pub use profile::Profile;
pub use recorded::{DELAY_TAG, RecordedGame, RecordedPly, Think};
pub use script::{BoardScript, ClockAct, ClockTouch, Display, Habit, Script};
pub use sensors::{BoardSensors, ParseSensorsError, Sensors};
pub use standing::Standing;
pub use switch_fault::{PlantedFault, Switch, SwitchFault};
pub use tray::SlotEdge;
