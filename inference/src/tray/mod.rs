//! Reserve trays with sensed slots: which slot holds which captured piece.
//!
//! A tray's slot says only that something lies in it. But what was captured is known to each hypothesis,
//! an arrival follows its capture within moments, and a drop takes its piece out of a slot just before:
//! so a drop's type is the type of the capture that filled the slot. A hypothesis therefore carries the
//! [contents](contents) of all slots and of the hands, each [step](step) lets the slots' changes
//! and the plies of a segment act on them, and how well both agree weighs the hypothesis. Tables
//! without trays carry one number that never changes.

mod contents;
mod events;
mod step;

pub(crate) use contents::{TrayBook, TraysId};
pub(crate) use events::{TrayEvent, TrayLog};
pub(crate) use step::{Deed, TrayStep};

/// What is likely of trays: probabilities set by hand from the simulator's table of players.
mod likely {
    /// An arrival of a piece that was captured moments ago.
    pub(super) const ARRIVES: f64 = 0.95;
    /// Until this long after the capture's press, microseconds, its piece is expected in the tray.
    pub(super) const ARRIVES_WITHIN_US: u64 = 5_000_000;
    /// An arrival this much before the capture's press at most, microseconds, may be of its piece.
    pub(super) const EARLY_US: u64 = 4_000_000;
    /// An arrival of a piece whose capture is not complete.
    pub(super) const ARRIVES_EARLY: f64 = 0.1;
    /// The same if another piece is expected just then.
    pub(super) const BESIDE_EXPECTED: f64 = 0.05;
    /// An arrival of a piece that was kept in the hand for long.
    pub(super) const ARRIVES_LATE: f64 = 0.03;
    /// A piece that was just taken out of a slot goes into another.
    pub(super) const REARRANGED: f64 = 0.5;
    /// It was taken out within this time, microseconds.
    pub(super) const REARRANGED_WITHIN_US: u64 = 3_000_000;
    /// The same after that time.
    pub(super) const PUT_BACK_LATE: f64 = 0.03;
    /// A captured piece never gets into the tray.
    pub(super) const HELD_BACK: f64 = 0.05;
    /// A captured piece is dropped from the hand before it can have got into the tray.
    pub(super) const DROPPED_FROM_HAND: f64 = 0.05;
    /// The piece that was taken out of a slot is another than what was dropped.
    pub(super) const MISTAKEN: f64 = 2e-3;
    /// A piece is dropped while its slot still reads occupied.
    pub(super) const NOT_TAKEN: f64 = 2e-3;
    /// The piece dropped was neither in a slot nor in the hand.
    pub(super) const FROM_NOWHERE: f64 = 0.1;
    /// What was dropped lay in the tray without being known.
    pub(super) const UNKNOWN_DROPPED: f64 = 0.3;
    /// A player takes a piece out of the tray and then does something else with the turn.
    pub(super) const NOT_DROPPED: f64 = 0.05;
    /// A piece lies in the tray for which no capture follows.
    pub(super) const NEVER_CAPTURED: f64 = 0.1;
    /// A piece that tells its letter tells a wrong one.
    pub(super) const WRONG_LETTER: f64 = 0.01;
}
