//! Several plies within one segment: presses that were forgotten.
//!
//! ```text
//! weight(ply_1 .. ply_n) = max over cuts PROD_i p(squares of part i | ply_i) * p(ply_i)
//! ```
//!
//! The segment is [cut](SplitPoints) where a piece had just been set down, as if the clock had been
//! pressed there, and each part is explained by one ply. `p(squares | ply) * p(ply)` is the weight
//! of a [candidate](Candidate). All cuts are tried, and the best one gives the weight of the
//! sequence.

use action_model::RoleSet;
use rules::{Bitboard, Color, Ply, Position, Supply};
use smallvec::SmallVec;

use crate::explanation::USUAL_PLIES;
use crate::{
    observation::{footprint::PredictedSquares, summary::Observation},
    params,
    proposal::{
        candidates::{Candidate, CandidateContext},
        closed_segment::SearchEffort,
        split_points::SplitPoints,
    },
    state::takeback::Takeback,
};

/// Weight of a sequence from which on no sequence with an unread piece is searched. Assumed.
const LIKELY_SEQUENCE: f64 = 1e-9;
/// A part of a segment with more changed squares than this is no ply but a disturbance. Bound: on work.
const MAX_TOUCHED: usize = 10;
/// The same for a segment that is explained again: four pieces that fell, squares onto which they
/// rolled or were put by mistake, and a ply. Bound: on work.
const MAX_TOUCHED_IN_DOUBT: usize = 16;

/// Nodes that are left for the search for sequences over one segment. A node is one part of the
/// segment, explained from one position. Likelier positions come first. The wide search has nodes
/// of its own, so that it takes none from what every effort looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBudget {
    /// Nodes of the search with one unread piece at most.
    pub(crate) narrow: usize,
    /// Nodes of the search with accidents and several unread pieces.
    pub(crate) wide: usize,
}

/// Maximum number of nodes of each search over one segment. Bound: on work, where a whole hand has swept over the board.
const MAX_NODES: usize = 3_000;

impl NodeBudget {
    /// A budget of which nothing is spent.
    pub(crate) const WHOLE: NodeBudget = NodeBudget { narrow: MAX_NODES, wide: MAX_NODES };

    /// The nodes that are not left of [`WHOLE`](Self::WHOLE).
    pub(crate) const fn spent(&self) -> usize {
        2 * MAX_NODES - self.narrow - self.wide
    }
}

/// A ply of a sequence and when it was completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SequenceStep {
    pub(crate) side: Color,
    pub(crate) candidate: Candidate,
    /// Times of its last event and of the first event after it, microseconds. The latter shows the
    /// ply to be complete. None for the last ply, which the press completes.
    pub(crate) times_us: Option<(u64, u64)>,
}

/// Plies that explain a segment together.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) steps: SmallVec<[SequenceStep; USUAL_PLIES]>,
    pub(crate) weight: f64,
}

impl Sequence {
    fn plies(&self) -> impl Iterator<Item = Ply> {
        self.steps.iter().map(|step| step.candidate.ply)
    }
}

/// All sequences in which `sides` make one ply each, in this order, from a position.
///
/// One ply may leave no piece to be read if no other sequence is likely. At exhaustive effort, two
/// plies may in any case. A sequence of less weight than `least` is left out. A search ends when its
/// `nodes` are spent.
pub(crate) fn explain(
    split_points: &SplitPoints,
    from: (&Position, Takeback),
    sides: &[Color],
    (supply, roles): (Supply, [RoleSet; 2]),
    least: f64,
    effort: SearchEffort,
    nodes: &mut NodeBudget,
) -> Vec<Sequence> {
    let mut found: Vec<Sequence> = Vec::new();
    let exhaustive = effort == SearchEffort::Exhaustive;
    for silent in [0, if exhaustive { 2 } else { 1 }] {
        let wide = exhaustive && silent > 0;
        let likely = found.iter().any(|sequence| sequence.weight >= LIKELY_SEQUENCE);
        // The last ply may leave no cut.
        if likely && !wide || split_points.points.len() + silent.min(1) <= sides.len() {
            continue;
        }
        let mut search = Search {
            split_points,
            landed_later: if wide { split_points.landed_later } else { Bitboard::EMPTY },
            wide,
            supply,
            roles,
            least,
            nodes: if wide { &mut nodes.wide } else { &mut nodes.narrow },
            steps: SmallVec::new(),
            found,
        };
        search.extend(from, 0, sides, 1.0, silent);
        found = search.found;
    }
    found
}

struct Search<'a> {
    split_points: &'a SplitPoints,
    /// Squares on which a piece of any but the last ply may have landed after the segment.
    landed_later: Bitboard,
    /// Whether accidents and pieces that are read late are considered.
    wide: bool,
    supply: Supply,
    /// Roles that each colour may drop, White first.
    roles: [RoleSet; 2],
    least: f64,
    nodes: &'a mut usize,
    steps: SmallVec<[SequenceStep; USUAL_PLIES]>,
    found: Vec<Sequence>,
}

impl Search<'_> {
    fn extend(
        &mut self,
        (position, takeback): (&Position, Takeback),
        from: usize,
        sides: &[Color],
        weight: f64,
        silent: usize,
    ) {
        let Some((&side, later)) = sides.split_first() else { return };
        // A candidate weighs at most PLY, unless it takes a ply back. A search for that case finds no more.
        let least = self.least / params::power(params::PLY, later.len());
        if weight * params::PLY < least {
            return;
        }
        let position = position.clone().with_turn(side);
        let expected = PredictedSquares::of(&position);
        // The part of the next ply may be empty if its piece is read after the segment.
        let may_be_unread = silent > 0 && self.landed_later.any();
        let last = self.split_points.points.len() - 1;
        let ends = match later.len() {
            0 => last..=last,
            later => from + usize::from(!may_be_unread)..=last - later,
        };
        for to in ends {
            let mut context = CandidateContext {
                position: &position,
                expected: &expected,
                observation: self.split_points.part(from, to),
                presser: side,
                supply: self.supply,
                roles: self.roles[usize::from(side.is_black())],
                takeback,
                floor: self.least,
                found: Vec::new(),
            };
            let settled = self.look_for(&mut context, silent, later.is_empty());
            let Some(settled) = settled else { return };
            for (index, candidate) in context.found.into_iter().enumerate() {
                let weight = weight * candidate.weight;
                if weight < least {
                    continue;
                }
                let times_us = (!later.is_empty()).then(|| self.split_points.times_us[to]);
                self.steps.push(SequenceStep { side, candidate, times_us });
                if later.is_empty() {
                    self.keep(weight);
                } else {
                    let mut next = position.clone();
                    next.play_with(candidate.ply, self.supply);
                    let takeback = takeback.after(candidate.ply, candidate.illegal);
                    let left = if index < settled { silent } else { silent - 1 };
                    self.extend((&next, takeback), to, later, weight, left);
                }
                self.steps.pop();
            }
        }
    }

    /// Looks for the candidates of a ply in the readings of its part; says how many of them have
    /// settled. None if the budget is spent. So many plies from here on may have left no piece in
    /// their part: `silent`.
    fn look_for(
        &mut self,
        context: &mut CandidateContext<'_>,
        silent: usize,
        is_last: bool,
    ) -> Option<usize> {
        let max_touched = if self.wide { MAX_TOUCHED_IN_DOUBT } else { MAX_TOUCHED };
        if context.observation.touched.count() > max_touched {
            return Some(0);
        }
        *self.nodes = self.nodes.checked_sub(1)?;
        context.settled();
        if is_last {
            let Observation { filled_soon, filled_at_once, .. } = *context.observation;
            context.landed(if self.wide { filled_soon } else { filled_at_once });
        }
        let settled = context.found.len();
        if silent > 0 {
            context.unread();
            if !is_last {
                context.landed_later(self.landed_later);
            }
        }
        Some(settled)
    }

    fn keep(&mut self, weight: f64) {
        let found = Sequence { steps: self.steps.clone(), weight };
        match self.found.iter_mut().find(|known| known.plies().eq(found.plies())) {
            Some(known) if known.weight >= weight => {}
            Some(known) => *known = found,
            None => self.found.push(found),
        }
    }
}

#[cfg(test)]
mod tests;
