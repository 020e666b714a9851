//! What is likely of trays: probabilities set by hand from the simulator's table of players. Without a unit unless their names end in one.

/// An arrival of a piece that was captured moments ago.
pub(crate) const ARRIVES: f64 = 0.95;
/// Until this long after the capture's press, microseconds, its piece is expected in the tray.
pub(crate) const ARRIVES_WITHIN_US: u64 = 5_000_000;
/// An arrival this much before the capture's press at most, microseconds, may be of its piece.
pub(crate) const EARLY_US: u64 = 4_000_000;
/// An arrival of a piece whose capture is not complete.
pub(crate) const ARRIVES_EARLY: f64 = 0.1;
/// The same if another piece is expected just then.
pub(crate) const BESIDE_EXPECTED: f64 = 0.05;
/// An arrival of a piece that was kept in the hand for long.
pub(crate) const ARRIVES_LATE: f64 = 0.03;
/// A piece that was just taken out of a slot goes into another.
pub(crate) const REARRANGED: f64 = 0.5;
/// It was taken out within this time, microseconds.
pub(crate) const REARRANGED_WITHIN_US: u64 = 3_000_000;
/// The same after that time.
pub(crate) const PUT_BACK_LATE: f64 = 0.03;
/// A captured piece never gets into the tray.
pub(crate) const HELD_BACK: f64 = 0.05;
/// A captured piece is dropped from the hand before it can have got into the tray.
pub(crate) const DROPPED_FROM_HAND: f64 = 0.05;
/// The piece that was taken out of a slot is another than what was dropped.
pub(crate) const MISTAKEN: f64 = 2e-3;
/// A piece is dropped while its slot still reads occupied.
pub(crate) const NOT_TAKEN: f64 = 2e-3;
/// The piece dropped was neither in a slot nor in the hand.
pub(crate) const FROM_NOWHERE: f64 = 0.1;
/// What was dropped lay in the tray without being known.
pub(crate) const UNKNOWN_DROPPED: f64 = 0.3;
/// A player takes a piece out of the tray and then does something else with the turn.
pub(crate) const NOT_DROPPED: f64 = 0.05;
/// A piece lies in the tray for which no capture follows.
pub(crate) const NEVER_CAPTURED: f64 = 0.1;
/// A piece that tells its letter tells a wrong one.
pub(crate) const WRONG_LETTER: f64 = 0.01;
