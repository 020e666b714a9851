//! A simulated hall: players with hands, boards, links and faults; and the accuracy of a tracker of it.
//!
//! | noun | what it is |
//! |---|---|
//! | [`RecordedGame`] | a game of bughouse or chess to be played, from BPGN or PGN |
//! | [`Profile`] | how players behave: ideal, club, scholastic |
//! | [`Performance`] | a played match: its trace, and its truth |
//! | [`Hall`](hall::Hall) | tables in real time, on serial devices that a hub opens |
//! | [`Score`](score::Score) | what a tracker got right |
//!
//! ```
//! let game = &sim::games::shipped()[0];
//! let match_ = sim::perform(game, sim::Profile::Ideal, 1, "first")?;
//! assert!(match_.readings.len() > match_.truth.len());
//! # Ok::<(), sim::SimError>(())
//! ```
//!
//! Nobody has recorded a real bughouse table with reed boards, so Twinboard is developed against simulated ones. The rates and
//! times of behaviours are a table of assumptions ([`profile`]).
//!
//! Data flows one way: a record becomes a [`RecordedGame`], that a plan (plies and set-up), that is staged (who touches what when)
//! and gives a [`Script`] of contacts and levers, and the node firmware makes readings of that. Everything is drawn from one seed,
//! in a stream of its own for every question, so that a change of one behaviour does not shuffle the others.
//!
//! Promised: the same arguments give the same bits on every machine, hands need time by Fitts' law, and the shipped firmware reads
//! reed contacts, trays and clocks. Left out: `docs/accuracy.md` lists what its figures do not say.

pub mod accuracy;
pub mod baseline;
mod board_fault;
mod chance;
mod contact;
mod device;
pub mod devices;
mod equipment;
mod error;
pub mod games;
mod hand;
mod hands;
mod lever_clock;
pub mod magnet;
pub mod measured;
mod perform;
mod place;
mod plan;
mod players;
pub mod profile;
pub mod real_time;
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

pub use board_fault::LevelDrift;
pub use contact::Edge;
pub use equipment::Equipment;
pub use error::SimError;
pub use hands::{Factors, ParseFactorsError};
pub use perform::{Performance, perform, perform_with, script, script_with};
pub use players::{HandsFrom, Players, Population};
pub use profile::Profile;
pub use recorded::{DELAY_TAG, RecordedGame, RecordedPly, Think};
pub use script::{BoardScript, ClockAct, ClockTouch, Display, Habit, Script};
pub use sensors::{BoardSensors, ParseSensorsError, Sensors};
pub use standing::Standing;
pub use switch_fault::{PlantedFault, Switch, SwitchFault};
pub use tray::SlotEdge;
