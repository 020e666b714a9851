//! The numbers of the tray model. Its formula is in `step.rs`.
//!
//! All are set by hand from the simulator's table of players: assumptions, and not measured at real tables.
//! They are probabilities, 0 to 1, unless the name ends in a unit.

/// A slot fills with a piece that was captured moments ago. Assumed.
pub(crate) const ARRIVES: f64 = 0.95;
/// Time after the press of a capture in which its piece is expected in the tray,
/// microseconds. Assumed.
pub(crate) const ARRIVES_WITHIN_US: u64 = 5_000_000;
/// Maximum time from an arrival to the press of a capture that it may belong to, microseconds. Assumed.
pub(crate) const EARLIEST_US: u64 = 4_000_000;
/// A slot fills with a piece whose capture is not complete yet. Assumed.
pub(crate) const ARRIVES_EARLY: f64 = 0.1;
/// Factor of that while another piece is expected. Assumed.
pub(crate) const BESIDE_EXPECTED: f64 = 0.05;
/// A slot fills with a captured piece that was kept in the hand for long. Assumed.
pub(crate) const ARRIVES_LATE: f64 = 0.03;
/// A slot fills with a piece that was just taken out of another slot. Assumed.
pub(crate) const REARRANGED: f64 = 0.5;
/// Maximum time meant by "just" in that sentence, microseconds. Assumed.
pub(crate) const REARRANGED_WITHIN_US: u64 = 3_000_000;
/// A slot fills with a piece that was taken out of a slot longer ago. Assumed.
pub(crate) const PUT_BACK_LATE: f64 = 0.03;
/// A captured piece does not get into the tray in time. Assumed.
pub(crate) const HELD_BACK: f64 = 0.05;
/// A captured piece is dropped from the hand before it was in the tray. Assumed.
pub(crate) const DROPPED_FROM_HAND: f64 = 0.05;
/// A piece was taken out of a slot, and a piece of another type was dropped. Assumed.
pub(crate) const MISTAKEN: f64 = 2e-3;
/// A piece is dropped while its slot still reads occupied. Assumed.
pub(crate) const NOT_TAKEN: f64 = 2e-3;
/// A dropped piece was neither in a slot nor in the hand. Assumed.
pub(crate) const FROM_NOWHERE: f64 = 0.1;
/// A dropped piece came from a slot with unknown content. Assumed.
pub(crate) const UNKNOWN_DROPPED: f64 = 0.3;
/// A player takes a piece out of the tray and then makes a ply without it. Assumed.
pub(crate) const NOT_DROPPED: f64 = 0.05;
/// A piece lies in the tray, and the partner's ply captures nothing. Assumed.
pub(crate) const NEVER_CAPTURED: f64 = 0.1;
/// A slot reads a wrong letter. Assumed.
pub(crate) const WRONG_LETTER: f64 = 0.01;
