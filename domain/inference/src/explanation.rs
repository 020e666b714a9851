//! Explanation of a segment: its plies, and their relation to the press.
//!
//! Candidates, the trellis and reports all name explanations. The types stand apart from them, so
//! that none of these rooms depends on another.

use rules::{Color, IllegalReason, Ply, Role};
use smallvec::SmallVec;

/// Maximum number of plies of one segment: those of a player who forgot the press twice in a row.
/// Bound: on work.
pub(crate) const MAX_PLIES: usize = 5;
/// Maximum number of plies of a segment with at most one forgotten press. More are searched only where
/// nothing else explains the readings. Bound: on work.
pub(crate) const USUAL_PLIES: usize = 3;

/// A ply on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExplainedPly {
    pub(crate) ply: Ply,
    pub(crate) side: Color,
    pub(crate) illegal: Option<IllegalReason>,
    /// Role of the piece that it took, as it comes to a reserve. None if it took nothing.
    pub(crate) captured: Option<Role>,
    /// Time of its last event, microseconds since the trace began.
    pub(crate) landed_us: u64,
    /// Time of its completion, microseconds since the trace began: by its press, or, without one, by
    /// the beginning of the answer.
    pub(crate) t_us: u64,
}

/// Relation of a segment's plies to its press.
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

/// The plies of an explanation, in order.
pub(crate) type Plies = SmallVec<[ExplainedPly; USUAL_PLIES]>;

/// Explanation of a segment by an edge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Explanation {
    pub(crate) plies: Plies,
    pub(crate) pattern: PressPattern,
}

/// Equal for explanations with the same plies and pattern, whatever their times.
pub(crate) type ExplanationKey =
    (PressPattern, SmallVec<[(Ply, Color, Option<IllegalReason>); USUAL_PLIES]>);

impl Explanation {
    /// The key of the explanation.
    pub(crate) fn key(&self) -> ExplanationKey {
        let plies = self.plies.iter().map(|made| (made.ply, made.side, made.illegal));
        (self.pattern, plies.collect())
    }
}
