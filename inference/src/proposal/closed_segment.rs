//! A segment about to be closed, and how far to look for explanations of it.

use rules::{Bitboard, BoardId, Color, Ply};

use crate::{
    explanation::{ExplainedPly, PressPattern},
    facts::{self, About},
    sensing::{clock::Timing, identity::IdentityLikelihood, segment::Segment, tray_log::TrayEvent},
};

/// A segment about to be closed.
pub(crate) struct ClosedSegment<'a> {
    pub(crate) board: BoardId,
    /// Who pressed; none when the clock was stopped.
    pub(crate) presser: Option<Color>,
    pub(crate) t_us: u64,
    pub(crate) segment: &'a Segment,
    /// How many of its events belong to it.
    pub(crate) count: usize,
    /// Squares on which something was seen to arrive when each side last made a ply, White's first.
    pub(crate) recent: [Bitboard; 2],
    pub(crate) timing: Timing,
    /// Squares of the partner board that have changed since its last press.
    pub(crate) partner_touched: Bitboard,
    /// What the trays' slots did since the last closing, of either board, until this one.
    pub(crate) tray_events: Vec<TrayEvent>,
    /// What the squares say about the pieces on them.
    pub(crate) identity: IdentityLikelihood<'a>,
    /// What people know of its plies.
    pub(crate) facts: Vec<About<'a>>,
}

impl ClosedSegment<'_> {
    /// Probability of what people say of the segment, if it was explained so.
    pub(crate) fn fact_likelihood(&self, pattern: PressPattern, plies: &[ExplainedPly]) -> f64 {
        facts::likelihood(&self.facts, pattern, self.presser, plies)
    }

    /// The plies that `side` is said to have made.
    pub(crate) fn said_of(&self, side: Color) -> impl Iterator<Item = Ply> {
        self.facts.iter().filter_map(move |about| about.said_of(side))
    }
}

/// How far to look for explanations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SearchEffort {
    /// At most one ply, whose target has been read.
    #[default]
    Settled,
    /// Also targets not yet read, silent exchanges, and several plies.
    Full,
    /// Also what would cost too much everywhere, where a match is doubted: pieces whose squares never read empty, several plies however
    /// unlikely beside one, and accidents amid them.
    Exhaustive,
}
