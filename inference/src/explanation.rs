//! What happened in a segment, as candidates, the trellis and reports have it: plies and how they relate to the press.

use rules::{Color, IllegalReason, Ply};
use smallvec::SmallVec;

/// Most plies that one segment may hold: one of a player who forgot the press twice in a row.
pub(crate) const MAX_PLIES: usize = 5;
/// As many plies as a segment has that is not quite out of the ordinary.
pub(crate) const USUAL_PLIES: usize = 3;

/// A ply on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExplainedPly {
    pub(crate) ply: Ply,
    pub(crate) side: Color,
    pub(crate) illegal: Option<IllegalReason>,
    /// Whether it took a piece.
    pub(crate) captures: bool,
    /// When its last piece had been moved, microseconds since the trace began.
    pub(crate) landed_us: u64,
    /// When it was completed: by its press, or by the beginning of an answer without one.
    pub(crate) t_us: u64,
}

/// How the plies of a segment relate to its press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PressPattern {
    /// One ply and its press; or a ply that the stopping of the clock completed.
    Regular,
    /// No ply, and none was due: confirmed late, pressed again, or the clock was stopped.
    Nothing,
    /// The side to move pressed without a ply.
    PressWithoutMove,
    /// The first ply of the segment was not followed by a press.
    MissedPress,
    /// The opponent had answered before the press.
    Answered,
    /// The other side pressed for the mover.
    PressedForOther,
    /// The presser was not to move.
    OutOfTurn,
}

/// What happened in a segment, as an edge has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Explanation {
    pub(crate) plies: SmallVec<[ExplainedPly; USUAL_PLIES]>,
    pub(crate) pattern: PressPattern,
}

/// What makes two choices the same, whenever their plies were completed: one number, as hundreds of choices are compared at every press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExplanationKey(u128);

/// Bits for one ply: two squares, a role, and whether it is a drop, then its side, why it is illegal, and a bit that says that there is a
/// ply.
const PLY_BITS: usize = 2 * 6 + 3 + 1 + 1 + ILLEGAL_BITS + 1;
/// Bits for why a ply is illegal, if it is.
const ILLEGAL_BITS: usize = 5;
/// Bits for the pattern.
const PATTERN_BITS: usize = 3;
const _: () = assert!(PATTERN_BITS + MAX_PLIES * PLY_BITS <= 128, "the longest sequence has a key");
const _: () = assert!(IllegalReason::ALL.len() < 1 << ILLEGAL_BITS, "every reason has a number");
const _: () = assert!(
    (PressPattern::OutOfTurn as usize) < 1 << PATTERN_BITS,
    "the last pattern has a number"
);

impl ExplanationKey {
    /// The key of a choice.
    pub(crate) fn of(explanation: &Explanation) -> ExplanationKey {
        let plies = explanation.plies.iter().fold(0, |all, made| all << PLY_BITS | number_of(made));
        ExplanationKey(plies << PATTERN_BITS | explanation.pattern as u128)
    }
}

/// A ply, its side, and why it is illegal, as a number that is not 0.
fn number_of(made: &ExplainedPly) -> u128 {
    let (from, role, drop) = match made.ply {
        Ply::Move { from, promotion, .. } => (u32::from(from), promotion.map_or(0, u32::from), 0),
        Ply::Drop { role, .. } => (0, u32::from(role), 1),
    };
    let squares = from << 6 | u32::from(made.ply.to());
    let ply = (squares << 3 | role) << 1 | drop;
    let illegal = made.illegal.map_or(0, |reason| reason as u32 + 1);
    let side = u32::from(made.side.is_black());
    u128::from(((ply << 1 | side) << ILLEGAL_BITS | illegal) << 1 | 1)
}
