//! The times of hands that the reader assumes, in one table.
//!
//! Nobody has measured hands at a real table yet. Where one quantity has two values, a likelihood
//! has the wider one, since it only compares explanations, and a detector the narrower one, since it
//! names a child. `twinboard hands` estimates these values from traces, and names those that lie outside.

/// Fitts's law for an average hand, milliseconds: the part that does not depend on distance.
/// Assumed: the simulator's table has the same value.
pub const TRAVEL_BASE_MS: f64 = 150.0;
/// The part per bit, milliseconds. Assumed: the simulator's table has the same value.
pub const TRAVEL_PER_BIT_MS: f64 = 120.0;
/// Time from landing a piece to letting go of it, milliseconds. Assumed: the simulator's table has
/// the same value.
pub(crate) const RELEASE_MS: f64 = 40.0;
/// Distance of the clock from the board's edge, squares. Assumed: the simulator's table has the same value.
pub(crate) const CLOCK_BESIDE: f64 = 1.5;
/// Distance of a player's reserve beside the corner of the board and before its edge, squares. Assumed: the
/// simulator's table has the same values.
pub(crate) const RESERVE_BESIDE: (f64, f64) = (0.5, 1.0);

/// Median time that a nudged piece is off its square in blitz, milliseconds: that of
/// [`Pace::BLITZ`](crate::anomaly::hands::pace::Pace::BLITZ).
pub const NUDGE_MS: f64 = 90.0;

/// Part of the plies that are pressed early. Assumed: 1 in 20 for children, 1 in 100 in a club.
pub const PRESSED_EARLY: f64 = 0.04;
/// Time from an early press to the landing, milliseconds, uniform between these for average hands.
/// The time to believe a contact is included. Assumed: the simulator's table has nearly the same
/// values.
pub(crate) const EARLY_MS: (f64, f64) = (20.0, 255.0);
/// Time from the landing to a press by the waiting other hand, milliseconds, uniform between these
/// for average hands. Assumed: the simulator's table has the same values.
pub(crate) const OTHER_HAND_MS: (f64, f64) = (20.0, 220.0);
/// Up to this time after the landing the density of a waiting hand falls to zero, milliseconds. Assumed.
pub(crate) const WAITING_AT_MOST_MS: f64 = 330.0;
/// Longest time in which a lever that does not hold springs back, microseconds. Assumed: nobody
/// presses back so soon after the other player's press
/// (`docs/decisions/0023-hands-nobody-tuned-for.md`).
pub(crate) const SPRINGS_BACK_US: u64 = 250_000;

/// Part of the pieces whose contact closes late because they stand off the middle of their squares.
/// Assumed: 1 in 50 for children, 1 in 200 in a club.
pub(crate) const READ_LATE: f64 = 0.01;
/// Lateness of such a reading, milliseconds, uniform between these for average hands. Assumed: the
/// simulator's table has the same values.
pub(crate) const LATE_MS: (f64, f64) = (50.0, 800.0);
/// A press waits so long for a piece of its ply to be read, microseconds: the latest contact and
/// the time to believe it. Assumed.
pub(crate) const SETTLE_US: u64 = 900_000;
/// Longest time after the press at which a piece that stood then is read, microseconds: with hands
/// slower than average. Assumed.
pub(crate) const STOOD_READ_US: u64 = 1_000_000;
/// Longest time after the press at which a piece that was in the hand is read, microseconds.
/// Assumed: about the longest early landing and the longest lateness together.
pub(crate) const IN_HAND_READ_US: u64 = 1_090_000;
/// Time after the press within which the answer's reading is searched, microseconds: the answer
/// may land later than the press. Assumed.
pub(crate) const ANSWER_READ_US: u64 = 1_500_000;

/// Time before the press that ends the opponent's ply from which a hand may begin with the next
/// ply, microseconds. Assumed.
pub(crate) const BEGINS_EARLY_US: u64 = 1_000_000;
/// The same for a hand that touches a piece and puts it back. Assumed.
pub(crate) const TOUCHES_EARLY_US: u64 = 700_000;

/// A piece that lands within this time after a press, microseconds, belongs to the player who
/// pressed. Assumed: a lever is pressed up to a quarter of a second early, and a contact is
/// believed some milliseconds late.
pub(crate) const AT_ONCE_US: u64 = 300_000;
/// Up to this time after the press the hand at a square is hardly ever the opponent's, microseconds:
/// it sets a piece down late, or lifts a victim that was pushed aside. Assumed.
pub(crate) const SURELY_OWN_US: u64 = 320_000;

/// All pieces of one knock-over fall within this time, microseconds. Assumed.
pub(crate) const FALL_TOGETHER_US: u64 = 300_000;
/// Longest time between the first and the last piece of a fall that no hand can have made,
/// microseconds. Assumed: a hand takes 150 ms at least from one piece to the next.
pub(crate) const FALL_SURELY_US: u64 = 120_000;
/// A victim that was pushed aside comes to rest at most this long after the capturing piece
/// landed, microseconds. A piece that stands beside a capture later was put there. Assumed.
pub(crate) const PUSHED_WITHIN_US: u64 = 300_000;
/// The same where a hand is judged by it. Assumed.
pub(crate) const PUSHED_SURELY_US: u64 = 120_000;
