//! What happened in a segment: its plies, and how they relate to the press.
//!
//! Candidates, the trellis and reports all name explanations. The types stand apart from them, so that none of these
//! rooms depends on another.

use rules::{Color, IllegalReason, Ply};
use smallvec::SmallVec;

/// Most plies that one segment may hold: those of a player who forgot the press twice in a row. Bound: on work.
pub(crate) const MAX_PLIES: usize = 5;
/// Most plies of a segment in which one press was forgotten at most. More are looked for only where nothing else
/// explains the readings. Bound: on work.
pub(crate) const USUAL_PLIES: usize = 3;

/// A ply on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExplainedPly {
    pub(crate) ply: Ply,
    pub(crate) side: Color,
    pub(crate) illegal: Option<IllegalReason>,
    /// Whether it took a piece.
    pub(crate) captures: bool,
    /// Time of its last event, microseconds since the trace began.
    pub(crate) landed_us: u64,
    /// When it was completed, microseconds since the trace began: by its press, or, without one, by the beginning of
    /// the answer.
    pub(crate) t_us: u64,
}

/// How the plies of a segment relate to its press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PressPattern {
    /// One ply and its press; or a ply that the stopping of the clock completed.
    Regular,
    /// No ply, and none was due: a ply confirmed late, a second press, or the clock was stopped.
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

/// What happened in a segment, according to an edge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Explanation {
    pub(crate) plies: SmallVec<[ExplainedPly; USUAL_PLIES]>,
    pub(crate) pattern: PressPattern,
}

/// Equal for explanations with the same plies and pattern, whatever their times. One number, because hundreds of
/// explanations are compared at every press.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExplanationKey(u128);

/// Bits for one ply: two squares, a role, whether it is a drop, its side, why it is illegal, and one bit that is always
/// 1, so that no ply has number 0.
const PLY_BITS: usize = 2 * 6 + 3 + 1 + 1 + ILLEGAL_BITS + 1;
/// Bits for why a ply is illegal, 0 for a legal one.
const ILLEGAL_BITS: usize = 5;
/// Bits for the press pattern.
const PATTERN_BITS: usize = 3;
const _: () = assert!(PATTERN_BITS + MAX_PLIES * PLY_BITS <= 128, "the longest sequence has a key");
const _: () = assert!(IllegalReason::ALL.len() < 1 << ILLEGAL_BITS, "every reason has a number");
const _: () = assert!(
    (PressPattern::OutOfTurn as usize) < 1 << PATTERN_BITS,
    "the last pattern has a number"
);

impl ExplanationKey {
    /// The key of an explanation.
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
