//! All transitions that explain a segment, from each position that hypotheses have.
//!
//! They depend on one board's position and readings alone. So they are found once for all joint hypotheses that share
//! the position, and kept for the second pass.

use std::ops::Range;

use action_model::{ActionTotals, RoleSet};
use rules::{Color, Role};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    explanation::Explanation,
    proposal::{chosen_action::ChosenAction, unweighed::UnweighedPlies},
    state::position_table::PositionId,
};

/// Transitions of one position that there is room for at first. Bound: on memory, not on their number.
const USUAL_TRANSITIONS: usize = 4;
/// Transitions of all positions that there is room for at first, at most. Bound: on memory, not on their number.
const MOST_USUAL_TRANSITIONS: usize = 1_024;

/// How one ply changes the reserves, and how it was chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReserveChange {
    pub(crate) side: Color,
    /// Role dropped.
    pub(crate) drop: Option<Role>,
    /// Role that the partner gets.
    pub(crate) captured: Option<Role>,
    /// The ply among all that its player could have done. None for an illegal ply, whose weight is part of the
    /// transition's, and for a ply that counts as an average one.
    pub(crate) made: Option<ChosenAction>,
}

/// One transition that explains the segment from one position.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    /// Probability of pattern and readings, each legal ply counted as an average one ([`PLY`](crate::params::PLY)): the
    /// formula of [`explain`](crate::proposal::explain).
    pub(crate) weight: f64,
    pub(crate) target: PositionId,
    pub(crate) explanation: u32,
    /// Index of the same explanation if the piece that it drops was not in the reserve yet.
    pub(crate) on_credit: u32,
    /// Whether every moved piece has been read where it should be.
    pub(crate) settled: bool,
    pub(crate) reserve_changes: SmallVec<[ReserveChange; 1]>,
}

/// A position to be explained from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourcePosition {
    pub(crate) id: PositionId,
    /// Its probability.
    pub(crate) mass: f64,
    /// Roles that each colour holds in some hypothesis of it, White first.
    pub(crate) held: [RoleSet; 2],
}

/// All transitions that explain a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transitions {
    pub(crate) explanations: Vec<Explanation>,
    /// Sums over all actions of the positions in which plies were made.
    pub(crate) totals: Vec<ActionTotals>,
    pub(crate) list: Vec<Transition>,
    /// Roles that each colour could drop at most, White first.
    pub(crate) roles: [RoleSet; 2],
    /// Weight of the likeliest transition.
    pub(crate) best: f64,
    /// Plies whose own alternatives were not looked at.
    pub(crate) unweighed: UnweighedPlies,
    /// The indices of the transitions from each position that was explained.
    spans: FxHashMap<PositionId, Range<u32>>,
}

impl Transitions {
    /// No transition yet, from so many positions, if each colour may drop these roles.
    pub(crate) fn new(positions: usize, roles: [RoleSet; 2]) -> Transitions {
        let room = (positions * USUAL_TRANSITIONS).min(MOST_USUAL_TRANSITIONS);
        Transitions {
            roles,
            list: Vec::with_capacity(room),
            explanations: Vec::with_capacity(room),
            ..Transitions::default()
        }
    }

    /// How many positions have been explained.
    pub(crate) fn explained(&self) -> usize {
        self.spans.len()
    }

    /// The transitions from one position.
    pub(crate) fn from(&self, id: PositionId) -> &[Transition] {
        &self.list[self.numbers_from(id)]
    }

    /// The indices of the transitions from one position.
    pub(crate) fn numbers_from(&self, id: PositionId) -> Range<usize> {
        self.spans.get(&id).map_or(0..0, |span| span.start as usize..span.end as usize)
    }

    /// Notes that the transitions from index `begin` on are those from this position.
    pub(crate) fn note_explained(&mut self, id: PositionId, begin: usize) {
        self.spans.insert(id, begin as u32..self.list.len() as u32);
    }
}
