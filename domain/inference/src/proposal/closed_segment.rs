//! A segment about to be closed, and how far to look for explanations of it.
//!
//! The filter, the proposal and the second pass all need one account of a segment. It is apart
//! from them, so that none of them depends on another for it.

use rules::{Bitboard, BoardId, Color, Ply, Position, Square, Supply};

use crate::{
    facts::About,
    sensing::{clock::Timing, identity::IdentityLikelihood, segment::Segment, tray_log::TrayEvent},
};

/// A segment about to be closed, with all that is known beside its squares.
#[derive(Clone, Debug)]
pub(crate) struct ClosedSegment {
    pub(crate) board: BoardId,
    /// Source of droppable pieces.
    pub(crate) supply: Supply,
    /// Side that pressed; none when the clock was stopped.
    pub(crate) presser: Option<Color>,
    pub(crate) t_us: u64,
    pub(crate) segment: Segment,
    /// Number of its events that belong to it.
    pub(crate) count: usize,
    /// Squares on which a piece arrived by the last ply of each side, White's first.
    pub(crate) recent: [Bitboard; 2],
    /// Squares that the last ply of each side left empty, White's first.
    pub(crate) left: [Bitboard; 2],
    pub(crate) timing: Timing,
    /// Squares of the partner board that have changed since its last press.
    pub(crate) partner_touched: Bitboard,
    /// Events of the trays' slots between the last closing of either board and this one.
    pub(crate) tray_events: Vec<TrayEvent>,
    /// Likelihoods of the pieces on the squares. None if the squares distinguish no pieces.
    pub(crate) identity: Option<Box<IdentityLikelihood>>,
    /// Facts about its plies.
    pub(crate) facts: Vec<About>,
}

impl ClosedSegment {
    /// Likelihood of what the squares say of their pieces if `position` stands after plies that
    /// ended on `arrivals`.
    pub(crate) fn identity_likelihood(
        &self,
        position: &Position,
        arrivals: impl IntoIterator<Item = Square>,
    ) -> f64 {
        self.identity.as_ref().map_or(1.0, |identity| identity.likelihood(position, arrivals))
    }

    /// The plies that `side` made according to facts.
    pub(crate) fn stated_of(&self, side: Color) -> impl Iterator<Item = Ply> {
        self.facts.iter().filter_map(move |about| about.stated_of(side))
    }
}

/// Effort of the search for explanations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SearchEffort {
    /// At most one ply, whose target has been read.
    #[default]
    Settled,
    /// Also targets not yet read, silent exchanges, and several plies.
    Full,
    /// Also explanations that cost too much at every press: pieces whose squares never read empty,
    /// several plies however unlikely beside one, and accidents amid them. For segments that the
    /// second pass explains again.
    Exhaustive,
}

#[cfg(test)]
impl ClosedSegment {
    /// A segment of a bughouse match of which only the squares are known.
    pub(crate) fn of_squares(
        board: BoardId,
        presser: Color,
        t_us: u64,
        segment: &Segment,
    ) -> ClosedSegment {
        ClosedSegment {
            board,
            supply: Supply::Partner,
            presser: Some(presser),
            t_us,
            segment: segment.clone(),
            count: segment.events.len(),
            recent: [Bitboard::EMPTY; 2],
            left: [Bitboard::EMPTY; 2],
            timing: Timing::default(),
            partner_touched: Bitboard::EMPTY,
            tray_events: Vec::new(),
            identity: None,
            facts: Vec::new(),
        }
    }
}
